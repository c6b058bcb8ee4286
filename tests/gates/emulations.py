#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each emulation of a driver does its work: forced, its scenarios pass and its counter says that it was used.

usage: emulations.py --build DIR [--driver NAME] [--self-test]

The names come from the driver's table; one without a scenario here fails. Prints `ok|fail NAME: ...` and
`N passed, N failed, N skipped`. --self-test is the negative control: nothing is forced, and then the counters of what this
host does not need must be 0.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Emulation -> scenarios in which it is used once it is forced.
SCENARIOS = {'magma': {
    'line-loop': ('emulated_loop_and_fan',),
    'triangle-fan': ('emulated_loop_and_fan', 'emulated_provoking_vertex'),
    'index-uint8': ('emulated_restart_of_each_type', 'draw_elements_each_type'),
    'restart-index': ('emulated_restart_of_each_type',),
    'restart-list': ('emulated_restart_of_each_type',),
    'provoking-vertex': ('emulated_provoking_vertex', 'multi_draw_indirect_parameters'),
    'hold-vertices': ('raster_provoking_vertex_of_geometry', 'raster_provoking_vertex_of_emitted_strips'),
    'pass-control': ('tessellation_without_control',),
    'multi-draw-loop': ('draw_multi_elements', 'multi_draw_parameters'),
    'depth-clip-control': ('clear_depth_then_test', 'state_depth_range_and_mask'),
    'attrib-convert': ('draw_vertex_formats', 'emulated_unaligned_attributes'),
    'attrib-align': ('emulated_unaligned_attributes',),
    'attrib-divisor': ('emulated_instance_divisor',),
    'wide-format': ('emulated_three_channel_target', 'emulated_mipmap_formats', 'class_copies_of_every_pair'),
    'alpha-one': ('emulated_three_channel_target',),
    'block-array': ('glsl_block_array_interpolation',),
    'mipmap-copy': ('emulated_mipmap_of_view', 'emulated_mipmap_of_srgb', 'texture_generate_mipmap'),
    'mipmap-convert': ('emulated_mipmap_formats', 'emulated_mipmap_of_depth', 'emulated_mipmap_of_srgb'),
    'primitives-generated': ('count_primitives_without_capture', 'count_primitives_written_and_left_out',
                             'capture_geometry_output', 'count_primitives_of_several_programs'),
    'alpha-to-one': ('multisample_alpha_to_one',),
    'wide-lines': ('raster_wide_lines', 'raster_wide_lines_of_a_program'),
    'large-points': ('raster_point_sizes', 'raster_point_coordinates'),
    'polygon-mode': ('raster_polygon_mode', 'raster_polygon_mode_culls', 'raster_polygon_mode_keeps_the_polygon',
                     'raster_polygon_offset_of_lines'),
    'border-color': ('texture_wrap_modes', 'emulated_border_colors', 'emulated_border_swizzles'),
    'border-swizzle': ('emulated_border_swizzles', 'emulated_border_colors', 'pixels_border_of_base_format'),
    'condition-wait': ('condition_modes', 'query_conditional_render'),
    'feedback-copy': ('target_feedback_loops', 'target_texture_barrier', 'target_depth_read_while_tested',
                      'framebuffer_feedback_between_levels'),
    'logic-copy': ('blend_logic_op', 'blend_logic_op_of_integers', 'blend_logic_op_of_targets', 'blend_logic_op_of_srgb',
                   'blend_logic_op_of_layers', 'multisample_logic_op'),
}, 'espryt': {
    'restart-rewrite': ('emulated_restart_of_each_type',),
    'multi-draw-loop': ('draw_multi_elements', 'multi_draw_parameters'),
    'index-rebase': ('multi_draw_offsets_and_bases',),
    'point-size': ('glsl_point_size', 'raster_point_sizes'),
    'convert-upload': ('texture_depth_uploads',),
    'convert-read': ('framebuffer_read_pixels_formats',),
    'shader-read': ('pixels_read_depth_and_stencil',),
    'shader-blit': ('blit_converts_formats', 'blit_between_sample_counts'),
    'copy-blit': ('rules_copy_image', 'class_copies_of_every_pair'),
    'copy-convert': ('class_copies_of_every_pair', 'class_copies_between_targets', 'class_copies_of_blocks', 'class_copies_of_views'),
    'mipmap-convert': ('emulated_mipmap_formats', 'emulated_mipmap_of_srgb', 'texture_generate_mipmap'),
    'base-instance': ('draw_base_instance', 'draw_indirect', 'multi_draw_parameters'),
    'timer-wait': ('count_elapsed_time', 'query_timestamp'),
    'texture-1d': ('class_copies_between_targets',),
    'texture-rect': ('class_copies_between_targets',),
    'wide-format': ('class_copies_of_every_pair', 'formats_required_of_targets', 'formats_required_of_textures'),
    'clear-upload': ('clear_images_of_textures',),
    'draw-buffer-map': ('target_layers_on_attachments', 'blit_to_every_draw_buffer'),
    'alpha-one': ('emulated_three_channel_target',),
    'attrib-convert': ('draw_vertex_formats', 'emulated_unaligned_attributes'),
    'clip-discard': ('glsl_clip_distance',),
    'first-vertex': ('raster_provoking_vertex_of_topologies',),
    'delay-flat': ('raster_provoking_vertex_of_geometry', 'raster_provoking_vertex_of_emitted_strips'),
    'layered-clear': ('gap_layered_clear_of_unlike_depths', 'framebuffer_layered_geometry'),
    'flatten-varyings': ('gap_nested_struct_varyings',),
    'polygon-outline': ('raster_polygon_mode', 'raster_polygon_mode_culls', 'raster_polygon_mode_keeps_the_polygon',
                        'raster_polygon_offset_of_lines'),
    'lod-bias': ('gap_lod_bias',),
    'count-fragments': ('gap_sample_counts', 'count_samples_across_targets'),
    'query-levels': ('gap_texture_levels',),
    'pass-control': ('tessellation_without_control',),
    'target-passes': ('blend_functions_per_target', 'blend_enables_and_masks_per_target'),
    'keep-blocks': ('texture_compressed_every_format',),
    'count-primitives': ('count_primitives_without_capture',),
    'texel-words': ('pixels_buffer_textures_of_every_kind',),
    'decode-outputs': ('framebuffer_srgb_write',),
    'capture-scatter': ('capture_gaps_in_several_buffers', 'xfb_separate_buffers'),
    'depth-clamp': ('state_depth_clamp', 'state_depth_clamp_and_range'),
    'alpha-to-one': ('multisample_alpha_to_one',),
    'depth-levels': ('emulated_mipmap_of_depth', 'emulated_mipmap_of_depth_layers'),
    'border-color': ('texture_wrap_modes', 'pixels_border_of_base_format', 'texture_border_of_lookups', 'emulated_border_colors'),
    'logic-fetch': ('blend_logic_op', 'blend_logic_op_of_integers', 'blend_logic_op_of_targets', 'blend_logic_op_of_srgb'),
    'logic-copy': ('blend_logic_op', 'blend_logic_op_of_integers', 'blend_logic_op_of_targets', 'blend_logic_op_of_srgb'),
    'indirect-read': ('draw_indirect', 'multi_draw_indirect_parameters'),
}}
# What the host of the control has, so that it must not be emulated there unless forced.
SPARED = {'magma': ('triangle-fan', 'index-uint8', 'restart-list', 'provoking-vertex', 'hold-vertices', 'multi-draw-loop',
                    'depth-clip-control', 'attrib-divisor', 'primitives-generated', 'alpha-to-one', 'wide-lines', 'large-points',
                    'polygon-mode', 'border-color', 'border-swizzle', 'feedback-copy', 'logic-copy'),
          'espryt': ('index-rebase', 'copy-blit', 'copy-convert', 'base-instance', 'timer-wait', 'logic-copy', 'depth-clamp')}


def table_of(driver):
    path = os.path.join(ROOT, 'src', 'drivers', driver, f'{driver}_emulation.h')
    with open(path, encoding='utf-8') as f:
        return re.findall(r'X\(\w+, "([\w-]+)"', f.read())


def run(build, driver, flag, emulation, names):
    """Whether all scenarios passed, and what the emulation's counter says."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, 'stats')
        targets = os.path.join(build, 'src', 'targets')
        env = dict(os.environ, MGPIPE_DRIVER=driver, MGPIPE_FORM='monolith', MGPIPE_DEBUG=flag, MGPIPE_STATS=stats,
                   LD_LIBRARY_PATH=targets, __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
        env.setdefault('XDG_RUNTIME_DIR', '/tmp')
        done = subprocess.run([os.path.join(build, 'tests', 'scenarios', 'scenarios'), '--fork', *names], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors='replace', timeout=600,
                              check=False)
        passed = set(re.findall(r'^ok (\w+)', done.stdout, re.M))
        with open(stats, encoding='utf-8') as f:
            found = re.findall(rf'^{driver}\.emulated\.{re.escape(emulation)}\s+(\d+)', f.read(), re.M)
    return passed >= set(names), sum(map(int, found))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', default='magma', choices=sorted(SCENARIOS))
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    failed = 0
    names = SPARED[options.driver] if options.self_test else table_of(options.driver)
    for name in names:
        scenarios = SCENARIOS[options.driver].get(name, ())
        if not scenarios:
            good, text = False, 'has no scenario'
        else:
            passed, used = run(build, options.driver, '' if options.self_test else f'force-{name}', name, scenarios)
            good = passed and (used == 0) == options.self_test
            text = f'scenarios {"pass" if passed else "fail"}, used {used} times'
        failed += not good
        print(f'{"ok" if good else "fail"} {name}: {text}')
    print(f'{len(names) - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed or not names else 0


if __name__ == '__main__':
    sys.exit(main())
