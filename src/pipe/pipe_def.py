# SPDX-License-Identifier: MIT
#
# THE definition of the pipe: every handle kind, value type, call, callback, control message, fault and
# capability. Everything that must not drift (tables, wire records, comparators, recorder, statistics,
# documentation) is generated from here by gen/pipe_gen.py. Calls are append-only: the opcode is the
# position, pinned by tests/golden/opcodes.txt.
#
# How to read it: a field line is `TYPE NAME[n] ; doc`. Sizes are fixed, padding is explicit.

from pipe_model import *

# --------------------------------------------------------------------------------------------------
# Handles
# --------------------------------------------------------------------------------------------------

handle_kind('resource', 'group', 'A buffer, texture or renderbuffer.')
handle_kind('sampler', 'group', 'An immutable sampler state object.')
handle_kind('sampler_view', 'group', 'A window on a texture: levels, layers, format, target.')
handle_kind('shader', 'group', 'All stages of one linked program, or a composite of separable ones.')
handle_kind('fence', 'group', 'A point in the command stream of one lane.')
handle_kind('surface', 'display', 'A window, pbuffer or image set of the display.')
handle_kind('lane', 'display', 'One context: a ring, its applier state, its native context.')
handle_kind('render_state', 'lane', 'The pipeline subset of the render state.')
handle_kind('vertex_elements', 'lane', 'Resolved vertex attributes and binding points.')
handle_kind('framebuffer', 'lane', 'An attachment set; {0,1} is the default framebuffer of the lane.')
handle_kind('query', 'lane', 'A query object.')
handle_kind('stream_output', 'lane', 'A transform feedback object.')
handle_kind('image', 'display', 'Storage of a texture, for every share group of the display (EGLImage).')

# --------------------------------------------------------------------------------------------------
# Enumerations
# --------------------------------------------------------------------------------------------------

enum('pipe_status', 'Answer of a call whose wait class is reply.', '''
OK       ; done
DECLINED ; an answer, not a failure: the host or a lost device has nothing to say
ERROR    ; refused; the reason was logged and, where GL has one, sent by on_gl_error
''', prefix='PIPE')

enum('pipe_wait', 'Wait class of a call.', '''
NONE    ; nobody waits; the record reads nothing the client owns
REPLY   ; the client waits for the answer
PRESENT ; bounded by the present credit of the surface
APPLIED ; the client waits until the record was applied
''', width=8)

enum('pipe_segment', 'Where the bytes of a host span live.', '''
NONE   ; an ordinary pointer (never on a wire)
STAGE  ; the stage segment of the process
READ   ; the read segment: answers land here
DRIVER ; memory that this driver's stage_alloc returned
INLINE ; behind the record itself
''', prefix='PIPE_SEG')

enum('pipe_prim', 'Primitive of a draw or a capture. Values equal GL.', '''
POINTS = 0 ;
LINES = 1 ;
LINE_LOOP = 2 ;
LINE_STRIP = 3 ;
TRIANGLES = 4 ;
TRIANGLE_STRIP = 5 ;
TRIANGLE_FAN = 6 ;
QUADS = 7 ; compatibility profile only
QUAD_STRIP = 8 ; compatibility profile only
POLYGON = 9 ; compatibility profile only
LINES_ADJACENCY = 10 ;
LINE_STRIP_ADJACENCY = 11 ;
TRIANGLES_ADJACENCY = 12 ;
TRIANGLE_STRIP_ADJACENCY = 13 ;
PATCHES = 14 ;
''', width=8)

enum('pipe_shader_type', 'Shader stage.', '''
VERTEX ;
TESS_CTRL ;
TESS_EVAL ;
GEOMETRY ;
FRAGMENT ;
COMPUTE ;
''', prefix='PIPE_SHADER', width=8)

enum('pipe_texture_target', 'Shape of a resource or of a view.', '''
BUFFER ;
TEXTURE_1D ;
TEXTURE_2D ;
TEXTURE_3D ;
TEXTURE_CUBE ; six layers
TEXTURE_RECT ;
TEXTURE_1D_ARRAY ;
TEXTURE_2D_ARRAY ;
TEXTURE_CUBE_ARRAY ; layers are a multiple of six
TEXTURE_2D_MS ;
TEXTURE_2D_MS_ARRAY ;
TEXTURE_BUFFER ; a view of a buffer
RENDERBUFFER ;
''', prefix='PIPE', width=8)

enum('pipe_bind', 'What a resource may be bound as (sticky).', '''
VERTEX_BUFFER ;
INDEX_BUFFER ;
CONSTANT_BUFFER ;
SHADER_BUFFER ;
INDIRECT_BUFFER ;
STREAM_OUTPUT ;
TEXTURE_BUFFER_STORE ; the buffer behind a texture buffer
PIXEL_BUFFER ;
SAMPLER_VIEW ;
RENDER_TARGET ;
DEPTH_STENCIL ;
SHADER_IMAGE ;
SHARED ; imported or exported
''', flags=True)

enum('pipe_storage', 'Storage flags of a buffer (glBufferStorage) and of a texture.', '''
IMMUTABLE ; storage of fixed size
DYNAMIC ; glBufferSubData is allowed
MAP_READ ;
MAP_WRITE ;
PERSISTENT ;
COHERENT ;
CLIENT ;
SPARSE ;
FIXED_SAMPLE_LOCATIONS ;
MUTABLE_FORMAT ; views with another format may follow
''', flags=True)

enum('pipe_usage', 'Usage hint of a buffer.', '''
DEFAULT ;
STREAM ;
DYNAMIC ;
STAGING ;
''', width=8)

enum('pipe_blend_factor', 'Blend factor.', '''
ZERO ;
ONE ;
SRC_COLOR ;
INV_SRC_COLOR ;
DST_COLOR ;
INV_DST_COLOR ;
SRC_ALPHA ;
INV_SRC_ALPHA ;
DST_ALPHA ;
INV_DST_ALPHA ;
CONST_COLOR ;
INV_CONST_COLOR ;
CONST_ALPHA ;
INV_CONST_ALPHA ;
SRC_ALPHA_SATURATE ;
SRC1_COLOR ;
INV_SRC1_COLOR ;
SRC1_ALPHA ;
INV_SRC1_ALPHA ;
''', width=8)

enum('pipe_blend_func', 'Blend equation.', '''
ADD ;
SUBTRACT ;
REVERSE_SUBTRACT ;
MIN ;
MAX ;
''', prefix='PIPE_BLEND', width=8)

enum('pipe_logic_op', 'Logic operation, in the order of GL_CLEAR..GL_SET.', '''
CLEAR ;
AND ;
AND_REVERSE ;
COPY ;
AND_INVERTED ;
NOOP ;
XOR ;
OR ;
NOR ;
EQUIV ;
INVERT ;
OR_REVERSE ;
COPY_INVERTED ;
OR_INVERTED ;
NAND ;
SET ;
''', width=8)

enum('pipe_compare', 'Comparison, in the order of GL_NEVER..GL_ALWAYS.', '''
NEVER ;
LESS ;
EQUAL ;
LEQUAL ;
GREATER ;
NOTEQUAL ;
GEQUAL ;
ALWAYS ;
''', width=8)

enum('pipe_stencil_op', 'Stencil operation.', '''
KEEP ;
ZERO ;
REPLACE ;
INCR ;
DECR ;
INCR_WRAP ;
DECR_WRAP ;
INVERT ;
''', width=8)

enum('pipe_polygon_mode', 'How polygons are rasterised.', '''
FILL ;
LINE ;
POINT ;
''', width=8)

enum('pipe_face', 'Polygon faces (culling), a bit mask.', '''
NONE = 0 ;
FRONT = 1 ;
BACK = 2 ;
FRONT_AND_BACK = 3 ;
''', width=8)

enum('pipe_tex_wrap', 'Texture coordinate wrap.', '''
REPEAT ;
CLAMP_TO_EDGE ;
CLAMP_TO_BORDER ;
MIRROR_REPEAT ;
MIRROR_CLAMP_TO_EDGE ;
''', width=8)

enum('pipe_tex_filter', 'Texture filter.', '''
NEAREST ;
LINEAR ;
''', width=8)

enum('pipe_tex_mip_filter', 'Mip filter.', '''
NONE ;
NEAREST ;
LINEAR ;
''', prefix='PIPE_TEX_MIP', width=8)

enum('pipe_swizzle', 'Component selector.', '''
RED ;
GREEN ;
BLUE ;
ALPHA ;
ZERO ;
ONE ;
''', width=8)

enum('pipe_value_class', 'How four words of a value are read.', '''
FLOAT ;
SINT ;
UINT ;
''', prefix='PIPE_VALUE', width=8)

enum('pipe_attrib_type', 'Component type of a vertex attribute.', '''
FLOAT ;
HALF ;
DOUBLE ;
FIXED ; 16.16
BYTE ;
UBYTE ;
SHORT ;
USHORT ;
INT ;
UINT ;
INT_2_10_10_10_REV ;
UINT_2_10_10_10_REV ;
UINT_10F_11F_11F_REV ;
''', prefix='PIPE_ATTRIB', width=8)

enum('pipe_attrib_flag', 'Flags of a vertex attribute.', '''
NORMALIZED ; fixed point is normalised
INTEGER ; the shader reads it as an integer (glVertexAttribIFormat)
LONG ; 64-bit in the shader (glVertexAttribLFormat)
BGRA ; size GL_BGRA: components arrive as B, G, R, A
ENABLED ; array enabled; else the current attribute value is read
''', width=8, flags=True)

enum('pipe_surface_kind', 'What a surface is.', '''
PBUFFER ;
WINDOW ;
PIXMAP ;
FRAMES ; a window that the client shows: present sends its frame back (control message frame)
''', width=8)

enum('pipe_platform', 'Window system of a screen or a surface.', '''
NONE ; pbuffers only
X11 ; `native` is the id of a window or pixmap on the display of `display_name`
WAYLAND ; `native` is a token of util/native.h: valid in the process that minted it, 0 elsewhere
''', width=8)

enum('pipe_data_plane', 'How bytes and records reach the other half.', '''
ANY ; shared memory where descriptors arrive, else a stream
SHARED ; segments that both halves map
STREAM ; segments that each half has for itself, mirrored over the connection
''', width=8)

enum('pipe_frame_encoding', 'How the pixels of a frame are packed.', '''
RAW ; rows without gaps
ZSTD ; one zstd frame of them
''', width=8)

enum('pipe_attachment_kind', 'What is attached.', '''
NONE ;
TEXTURE ;
RENDERBUFFER ;
SURFACE ; a buffer of the default framebuffer
''', prefix='PIPE_ATTACHMENT', width=8)

enum('pipe_buffer_mask', 'Buffers of a framebuffer (clear, blit, invalidate).', '''
COLOR0 ;
COLOR1 ;
COLOR2 ;
COLOR3 ;
COLOR4 ;
COLOR5 ;
COLOR6 ;
COLOR7 ;
DEPTH ;
STENCIL ;
''', prefix='PIPE_BUFFER', flags=True)

enum('pipe_buffer_class', 'Class of indexed buffer bindings.', '''
UNIFORM ;
STORAGE ;
ATOMIC ;
''', prefix='PIPE_BUFFER_CLASS', width=8)

enum('pipe_query_type', 'What a query counts.', '''
OCCLUSION_COUNTER ; samples passed, exact
OCCLUSION_PREDICATE ; any samples passed
OCCLUSION_PREDICATE_CONSERVATIVE ;
TIMESTAMP ;
TIME_ELAPSED ;
PRIMITIVES_GENERATED ; stream in index
PRIMITIVES_EMITTED ; written to capture buffers, stream in index
SO_OVERFLOW ; one stream overflowed
SO_OVERFLOW_ANY ;
PIPELINE_STATISTIC ; statistic in index
''', width=8)

enum('pipe_statistic', 'Index of a PIPELINE_STATISTIC query (ARB_pipeline_statistics_query).', '''
VERTICES_SUBMITTED ;
PRIMITIVES_SUBMITTED ;
VERTEX_SHADER_INVOCATIONS ;
TESS_CONTROL_PATCHES ;
TESS_EVALUATION_INVOCATIONS ;
GEOMETRY_INVOCATIONS ;
GEOMETRY_PRIMITIVES_EMITTED ;
FRAGMENT_INVOCATIONS ;
COMPUTE_INVOCATIONS ;
CLIPPING_INPUT_PRIMITIVES ;
CLIPPING_OUTPUT_PRIMITIVES ;
''', width=8)

enum('pipe_render_cond', 'Mode of conditional rendering.', '''
WAIT ;
NO_WAIT ;
BY_REGION_WAIT ;
BY_REGION_NO_WAIT ;
''', width=8)

enum('pipe_draw_flag', 'Flags of draw_vbo.', '''
USER_INDICES ; indices come in the host span
RESTART ; primitive restart with restart_index
INDEX_RANGE ; min_index and max_index are known
INDIRECT ; the block in `indirect` replaces the ranges
INDIRECT_COUNT ; the draw count lies in the parameter buffer
SO_COUNT ; the vertex count is what stream output `so` captured
DRAW_ID ; the program reads gl_DrawID
CLIENT_XFB_COUNT ; captured_vertices is the client's own count
''', prefix='PIPE_DRAW', width=8, flags=True)

enum('pipe_flush_flag', 'Flags of flush.', '''
FINISH ; the record is answered when the GPU has finished
END_OF_FRAME ;
RELEASE ; the context is released from its thread
''', prefix='PIPE_FLUSH', flags=True)

enum('pipe_barrier', 'Memory barrier bits, in the order of GL.', '''
VERTEX_ATTRIB_ARRAY ;
ELEMENT_ARRAY ;
UNIFORM ;
TEXTURE_FETCH ;
SHADER_IMAGE_ACCESS ;
COMMAND ;
PIXEL_BUFFER ;
TEXTURE_UPDATE ;
BUFFER_UPDATE ;
FRAMEBUFFER ;
TRANSFORM_FEEDBACK ;
ATOMIC_COUNTER ;
SHADER_STORAGE ;
CLIENT_MAPPED_BUFFER ;
QUERY_BUFFER ;
''', flags=True)

enum('pipe_reset_status', 'Graphics reset status.', '''
NO_RESET ;
GUILTY ;
INNOCENT ;
UNKNOWN ;
''', prefix='PIPE_RESET', width=8)

enum('pipe_log_level', 'Severity of a log line.', '''
DEBUG ;
INFO ;
WARN ;
ERROR ;
''', prefix='PIPE_LOG', width=8)

enum('pipe_image_access', 'Access of a shader image.', '''
READ ;
WRITE ;
''', width=8, flags=True)

enum('pipe_resource_flag', 'Flags of a resource description.', '''
EVER_IMAGE ; was or will be bound as a shader image
VIEW ; storage belongs to view_of
ZERO_INIT ; contents start as zeros
''', prefix='PIPE_RESOURCE', flags=True)

enum('pipe_subdata_flag', 'Flags of resource_subdata.', '''
UNSYNCHRONIZED ; the client promises not to overwrite what the GPU reads
DISCARD_RANGE ; old contents of the range are not needed
DISCARD_WHOLE ; old contents of the whole buffer are not needed
BORROWED ; the span stays valid until the driver releases it
''', prefix='PIPE_SUBDATA', flags=True)

enum('pipe_aspect', 'Aspects of a depth-stencil texture.', '''
COLOR ;
DEPTH ;
STENCIL ;
''', width=8, flags=True)

enum('pipe_uniform_type', 'Class of an opaque resource slot; equals DescriptorSet in the shader form.', '''
GLOBALS = 0 ; default uniform block
UNIFORM_BLOCK = 1 ;
SAMPLER = 2 ;
STORAGE_BLOCK = 3 ;
IMAGE = 4 ;
ATOMIC_BUFFER = 5 ;
''', prefix='PIPE_SLOT', width=8)

enum('pipe_device', 'What kind of host device answers.', '''
UNKNOWN ;
CPU ;
INTEGRATED ;
DISCRETE ;
VIRTUAL ;
''', width=8)

constant('PIPE_MAX_COLOR_BUFS', 8, 'Colour attachments and draw buffers.')
constant('PIPE_MAX_VIEWPORTS', 16, 'Viewports, scissors and depth ranges.')
constant('PIPE_MAX_ATTRIBS', 32, 'Vertex attributes.')
constant('PIPE_MAX_VERTEX_BUFFERS', 32, 'Vertex buffer binding points.')
constant('PIPE_MAX_TEXTURE_UNITS', 192, 'Merged texture unit space.')
constant('PIPE_MAX_IMAGE_UNITS', 32, 'Image units.')
constant('PIPE_MAX_INDEXED_BUFFERS', 96, 'Binding points of one buffer class.')
constant('PIPE_MAX_SO_BUFFERS', 4, 'Stream output targets.')
constant('PIPE_MAX_VERTEX_STREAMS', 4, 'Geometry shader streams.')
constant('PIPE_MAX_REGIONS', 4096, 'Regions of one resource_subdata record.')
constant('PIPE_SHADER_STAGES', 6, 'Shader stages.')
constant('PIPE_WHOLE_SIZE', 0xffffffffffffffff, 'Whole buffer, resolved when it is used.', 'u64')
constant('PIPE_COMPOSITE_SLOT_BASE', 0xf0000000, 'Shader slots from here on belong to composites.')
constant('PIPE_MAX_LABEL', 1024, 'Bytes of a debug marker or label with its terminator.')

# --------------------------------------------------------------------------------------------------
# Formats. Array formats name bytes in memory order; packed formats start at the least significant bit.
# --------------------------------------------------------------------------------------------------

for _bits in (8, 16, 32):
    for _t, _n in (('n', 'UNORM'), ('s', 'SNORM'), ('u', 'UINT'), ('i', 'SINT'), ('f', 'FLOAT')):
        if _t == 'f' and _bits == 8 or _t in 'ns' and _bits == 32:
            continue
        for _count in (1, 2, 3, 4):
            _chans = 'rgba'[:_count]
            fmt(''.join(f'{c.upper()}{_bits}' for c in _chans) + '_' + _n, _count * _bits // 8, 'array',
                ' '.join(f'{c}{_bits}{_t}' for c in _chans))
fmt('R8G8B8_SRGB', 3, 'array', 'r8n g8n b8n srgb')
fmt('R8G8B8A8_SRGB', 4, 'array', 'r8n g8n b8n a8n srgb')
fmt('R8_SRGB', 1, 'array', 'r8n srgb')
fmt('R8G8_SRGB', 2, 'array', 'r8n g8n srgb')
fmt('B8G8R8A8_UNORM', 4, 'array', 'b8n g8n r8n a8n')
fmt('B8G8R8A8_SRGB', 4, 'array', 'b8n g8n r8n a8n srgb')
fmt('B8G8R8X8_UNORM', 4, 'array', 'b8n g8n r8n x8x')
fmt('R8G8B8X8_UNORM', 4, 'array', 'r8n g8n b8n x8x')
fmt('R8G8B8X8_SRGB', 4, 'array', 'r8n g8n b8n x8x srgb')
fmt('R8G8B8X8_SNORM', 4, 'array', 'r8s g8s b8s x8x')
fmt('R8G8B8X8_UINT', 4, 'array', 'r8u g8u b8u x8x')
fmt('R8G8B8X8_SINT', 4, 'array', 'r8i g8i b8i x8x')
fmt('R16G16B16X16_UNORM', 8, 'array', 'r16n g16n b16n x16x')
fmt('R16G16B16X16_SNORM', 8, 'array', 'r16s g16s b16s x16x')
fmt('R16G16B16X16_FLOAT', 8, 'array', 'r16f g16f b16f x16x')
fmt('R16G16B16X16_UINT', 8, 'array', 'r16u g16u b16u x16x')
fmt('R16G16B16X16_SINT', 8, 'array', 'r16i g16i b16i x16x')
fmt('R32G32B32X32_FLOAT', 16, 'array', 'r32f g32f b32f x32x')
fmt('R32G32B32X32_UINT', 16, 'array', 'r32u g32u b32u x32x')
fmt('R32G32B32X32_SINT', 16, 'array', 'r32i g32i b32i x32x')
fmt('R3G3B2_UNORM', 1, 'packed', 'b2n g3n r3n')
fmt('R4G4B4A4_UNORM', 2, 'packed', 'a4n b4n g4n r4n')
fmt('R5G5B5A1_UNORM', 2, 'packed', 'a1n b5n g5n r5n')
fmt('R5G6B5_UNORM', 2, 'packed', 'b5n g6n r5n')
fmt('R10G10B10A2_UNORM', 4, 'packed', 'r10n g10n b10n a2n')
fmt('R10G10B10A2_UINT', 4, 'packed', 'r10u g10u b10u a2u')
fmt('R11G11B10_FLOAT', 4, 'packed', 'r11f g11f b10f')
fmt('R9G9B9E5_FLOAT', 4, 'packed', 'r9f g9f b9f x5x')
fmt('Z16_UNORM', 2, 'zs', 'z16n')
fmt('Z24X8_UNORM', 4, 'zs', 'z24n x8x')
fmt('Z24_UNORM_S8_UINT', 4, 'zs', 'z24n s8u')
fmt('Z32_UNORM', 4, 'zs', 'z32n')
fmt('Z32_FLOAT', 4, 'zs', 'z32f')
fmt('Z32_FLOAT_S8X24_UINT', 8, 'zs', 'z32f s8u x24x')
fmt('S8_UINT', 1, 'zs', 's8u')
for _n, _b, _c in (('DXT1_RGB', 8, 'r8n g8n b8n'), ('DXT1_RGBA', 8, 'r8n g8n b8n a8n'), ('DXT3_RGBA', 16, 'r8n g8n b8n a8n'),
                   ('DXT5_RGBA', 16, 'r8n g8n b8n a8n')):
    fmt(_n, _b, 'block', _c + ' block4x4')
    fmt(_n.replace('_RGB', '_SRGB'), _b, 'block', _c + ' srgb block4x4')
fmt('RGTC1_UNORM', 8, 'block', 'r8n block4x4')
fmt('RGTC1_SNORM', 8, 'block', 'r8s block4x4')
fmt('RGTC2_UNORM', 16, 'block', 'r8n g8n block4x4')
fmt('RGTC2_SNORM', 16, 'block', 'r8s g8s block4x4')
fmt('BPTC_RGBA_UNORM', 16, 'block', 'r8n g8n b8n a8n block4x4')
fmt('BPTC_SRGBA', 16, 'block', 'r8n g8n b8n a8n srgb block4x4')
fmt('BPTC_RGB_FLOAT', 16, 'block', 'r16f g16f b16f block4x4')
fmt('BPTC_RGB_UFLOAT', 16, 'block', 'r16f g16f b16f block4x4')
fmt('ETC2_RGB8', 8, 'block', 'r8n g8n b8n block4x4')
fmt('ETC2_SRGB8', 8, 'block', 'r8n g8n b8n srgb block4x4')
fmt('ETC2_RGB8A1', 8, 'block', 'r8n g8n b8n a8n block4x4')
fmt('ETC2_SRGB8A1', 8, 'block', 'r8n g8n b8n a8n srgb block4x4')
fmt('ETC2_RGBA8', 16, 'block', 'r8n g8n b8n a8n block4x4')
fmt('ETC2_SRGBA8', 16, 'block', 'r8n g8n b8n a8n srgb block4x4')
fmt('ETC2_R11_UNORM', 8, 'block', 'r16n block4x4')
fmt('ETC2_R11_SNORM', 8, 'block', 'r16s block4x4')
fmt('ETC2_RG11_UNORM', 16, 'block', 'r16n g16n block4x4')
fmt('ETC2_RG11_SNORM', 16, 'block', 'r16s g16s block4x4')

# --------------------------------------------------------------------------------------------------
# Value types
# --------------------------------------------------------------------------------------------------

struct('pipe_box', 'A box of texels; for buffers x and width are bytes. Layers are z and depth (1D arrays too).', '''
i32 x ;
i32 y ;
i32 z ; slice, layer or cube face
i32 width ;
i32 height ;
i32 depth ;
''')

struct('pipe_blit_box', 'A box of a blit; a negative extent mirrors.', '''
i32 x0 ;
i32 y0 ;
i32 x1 ;
i32 y1 ;
''')

struct('pipe_region', 'One written region of an upload: destination box and where its bytes start.', '''
pipe_box box ; destination, exact: every texel of it is written and no other
u64 offset ; first byte, relative to the span
u32 row_stride ; bytes from one row (of blocks) to the next
u32 slice_stride ; bytes from one slice to the next
''')

struct('pipe_draw_range', 'One draw of a draw_vbo record.', '''
u32 start ; first vertex or first index
u32 count ; vertices or indices
i32 bias ; base vertex
''')

struct('pipe_vertex_buffer', 'A vertex buffer binding point.', '''
handle:resource buffer ; null: unbound
u64 offset ; bytes
u32 stride ; bytes, resolved: 0 repeats one element
u32 pad0 ;
''')

struct('pipe_vertex_element', 'One resolved attribute.', '''
u8 location ; attribute index as the shader sees it
u8 binding ; index into the vertex buffers
enum:pipe_attrib_type type ;
u8 size ; components, 1 to 4
enum:pipe_attrib_flag flags ;
u8 pad0[3] ;
u32 offset ; relative offset in bytes
''')

struct('pipe_vertex_binding', 'One binding point of the vertex layout.', '''
u32 stride ; bytes
u32 divisor ; 0: per vertex
''')

struct('pipe_surface_view', 'One attachment of a framebuffer.', '''
handle:resource resource ;
enum:pipe_format format ; format that is rendered, may differ from the resource's
enum:pipe_attachment_kind kind ;
u8 level ;
u8 layered ; 1: all layers
u8 samples ;
u32 layer ; first layer or slice
u32 num_layers ; 1 when not layered
''')

struct('pipe_texture_slot', 'View and texture of one unit.', '''
handle:sampler_view view ; null: the slot reads zeros with alpha 1
handle:resource texture ; the texture behind the view
''')

struct('pipe_shader_image', 'One image unit.', '''
handle:resource resource ;
enum:pipe_format format ;
enum:pipe_image_access access ;
u8 level ;
u8 layered ;
u8 pad0 ;
u32 layer ;
u32 pad1 ;
''')

struct('pipe_buffer_range', 'A buffer range of an indexed binding point.', '''
handle:resource buffer ;
u64 offset ;
u64 size ; PIPE_WHOLE_SIZE: to the end, resolved when used
''')

struct('pipe_so_target', 'A capture target.', '''
handle:resource buffer ;
u64 offset ;
u64 size ;
''')

struct('pipe_slot_binding', 'Which unit or binding point one program slot reads (changes after link).', '''
u16 slot ; program-wide slot of the class
u16 unit ; texture unit, image unit or indexed binding point
enum:pipe_uniform_type cls ;
u8 pad0[3] ;
''')

struct('pipe_attrib_value', 'Current value of an attribute.', '''
u32 index ;
enum:pipe_value_class cls ; class of the last call
u8 is_double ; words hold two doubles (x, y) and the next two words pairs follow in `hi`
u8 pad0[2] ;
u32 value[4] ;
u32 hi[4] ; doubles: components z and w
''')

struct('pipe_viewport', 'A viewport and its depth range, GL window coordinates.', '''
f32 x ;
f32 y ;
f32 width ;
f32 height ;
f32 near_depth ;
f32 far_depth ;
''')

struct('pipe_scissor', 'A scissor box.', '''
i32 x ;
i32 y ;
i32 width ;
i32 height ;
''')

# --- render state, by chunks ----------------------------------------------------------------------

struct('pipe_rt_blend', 'Blend state of one target.', '''
u8 enable ;
enum:pipe_blend_func rgb_func ;
enum:pipe_blend_factor rgb_src ;
enum:pipe_blend_factor rgb_dst ;
enum:pipe_blend_func alpha_func ;
enum:pipe_blend_factor alpha_src ;
enum:pipe_blend_factor alpha_dst ;
u8 colormask ; bit 0 red ... bit 3 alpha
''')

struct('pipe_blend_state', 'Blending of all targets.', '''
pipe_rt_blend rt[8] ;
u8 independent ; targets differ
u8 logicop_enable ;
enum:pipe_logic_op logicop ;
u8 dither ;
u32 advanced_equation ; 0: none (KHR_blend_equation_advanced, reserved)
''')

struct('pipe_stencil_face', 'Stencil state of one face.', '''
enum:pipe_compare func ;
enum:pipe_stencil_op fail_op ;
enum:pipe_stencil_op zfail_op ;
enum:pipe_stencil_op zpass_op ;
u8 valuemask ;
u8 writemask ;
u8 pad0[2] ;
''')

struct('pipe_depth_stencil_state', 'Depth and stencil test.', '''
u8 depth_enable ;
u8 depth_write ;
enum:pipe_compare depth_func ;
u8 stencil_enable ;
pipe_stencil_face front ;
pipe_stencil_face back ;
''')

struct('pipe_raster_state', 'Rasteriser.', '''
enum:pipe_polygon_mode fill_front ;
enum:pipe_polygon_mode fill_back ;
enum:pipe_face cull_face ; NONE: culling is off
u8 front_ccw ;
u8 flatshade_first ; provoking vertex is the first
u8 depth_clamp_near ;
u8 depth_clamp_far ;
u8 discard ; rasteriser discard
u8 offset_fill ;
u8 offset_line ;
u8 offset_point ;
u8 line_smooth ;
u8 polygon_smooth ;
u8 program_point_size ; the shader writes the point size
u8 point_sprite_upper_left ; origin of gl_PointCoord
u8 clip_enable ; one bit per clip distance
u8 clip_halfz ; ARB_clip_control: zero to one
u8 clip_upper_left ; ARB_clip_control: origin
u8 framebuffer_srgb ; write control
u8 line_stipple ; compatibility profile
''')

struct('pipe_multisample_state', 'Multisampling.', '''
u8 enable ;
u8 alpha_to_coverage ;
u8 alpha_to_one ;
u8 sample_shading ;
u8 sample_mask_enable ;
u8 pad0[3] ;
f32 min_sample_shading ;
u32 pad1 ;
''')

struct('pipe_restart_state', 'Primitive restart as far as the pipeline knows it.', '''
u8 enable ;
u8 fixed_index ;
u8 patch_vertices ;
u8 pad0 ;
''')

struct('pipe_viewport_state', 'Viewport 0, and how many differ from it.', '''
pipe_viewport viewport ;
u32 count ; 1: every viewport equals this one; else 16, and the others are in pipe_viewport_array
u32 pad0 ;
''')

struct('pipe_viewport_array', 'Viewports 1 to 15; zero while pipe_viewport_state.count is 1.', '''
pipe_viewport viewport[15] ;
''')

struct('pipe_scissor_state', 'Scissor 0, and the enables of all.', '''
pipe_scissor scissor ; zero while its enable bit is clear
u32 enable_mask ;
u32 written_mask ; tells a scissor never set from 0,0,0,0
''')

struct('pipe_scissor_array', 'Scissors 1 to 15; each zero while its enable bit is clear.', '''
pipe_scissor scissor[15] ;
''')

struct('pipe_blend_color', 'Blend constant.', '''
f32 color[4] ;
''')

struct('pipe_stencil_ref', 'Stencil references.', '''
u8 front ;
u8 back ;
u8 pad0[2] ;
''')

struct('pipe_line_point', 'Widths and sizes.', '''
f32 line_width ;
f32 point_size ;
f32 point_fade_threshold ;
u32 pad0 ;
''')

struct('pipe_polygon_offset', 'Polygon offset values.', '''
f32 units ;
f32 scale ;
f32 clamp ;
''')

struct('pipe_clip_planes', 'User clip planes (compatibility profile).', '''
f32 plane[32] ; eight planes of four
''')

chunk('blend', 'pipeline', 'pipe_blend_state', 'Blend equations, factors, masks, logic op.')
chunk('depth_stencil', 'pipeline', 'pipe_depth_stencil_state', 'Depth and stencil test.')
chunk('raster', 'pipeline', 'pipe_raster_state', 'Rasteriser state.')
chunk('multisample', 'pipeline', 'pipe_multisample_state', 'Multisample state.')
chunk('restart', 'pipeline', 'pipe_restart_state', 'Primitive restart and patch size.')
chunk('viewport', 'dynamic', 'pipe_viewport_state', 'Viewport and depth range 0.')
chunk('viewport_array', 'dynamic', 'pipe_viewport_array', 'Viewports and depth ranges 1 to 15.')
chunk('scissor', 'dynamic', 'pipe_scissor_state', 'Scissor 0.')
chunk('scissor_array', 'dynamic', 'pipe_scissor_array', 'Scissors 1 to 15.')
chunk('blend_color', 'dynamic', 'pipe_blend_color', 'Blend constant.')
chunk('stencil_ref', 'dynamic', 'pipe_stencil_ref', 'Stencil reference values.')
chunk('line_point', 'dynamic', 'pipe_line_point', 'Line width, point size.')
chunk('polygon_offset', 'dynamic', 'pipe_polygon_offset', 'Polygon offset.')

# --- other objects ---------------------------------------------------------------------------------

struct('pipe_sampler_state', 'A sampler.', '''
enum:pipe_tex_wrap wrap_s ;
enum:pipe_tex_wrap wrap_t ;
enum:pipe_tex_wrap wrap_r ;
enum:pipe_tex_filter min_filter ;
enum:pipe_tex_filter mag_filter ;
enum:pipe_tex_mip_filter mip_filter ;
u8 compare_enable ;
enum:pipe_compare compare_func ;
u8 srgb_decode ; 1: decode (the default)
u8 seamless_cube ;
enum:pipe_value_class border_class ;
u8 pad0 ;
f32 lod_bias ;
f32 min_lod ;
f32 max_lod ;
f32 max_anisotropy ;
u32 border_color[4] ; bits as border_class says
''')

struct('pipe_resource_desc', 'Description of a resource.', '''
handle:resource resource ;
handle:resource view_of ; owner of the storage when PIPE_RESOURCE_VIEW is set
enum:pipe_format format ;
enum:pipe_texture_target target ;
enum:pipe_usage usage ;
u8 samples ; 0 or 1: single-sampled
u8 levels ;
u32 width ; texels
u32 height ;
u32 depth ; slices of a 3D texture, else 1
u32 layers ; array layers, cube faces counted; else 1
u64 size ; buffers: bytes
enum:pipe_storage storage ;
enum:pipe_bind bind ;
enum:pipe_resource_flag flags ;
u16 view_min_level ;
u16 view_num_levels ;
u16 view_min_layer ;
u16 view_num_layers ;
u32 gl_name ; for logs only
handle:resource buffer ; texture buffers: the store
u64 buffer_offset ;
u64 buffer_size ; PIPE_WHOLE_SIZE: whole, resolved when used
''')

struct('pipe_dmabuf_format', 'A format and a modifier of dma-bufs.', '''
u32 fourcc ; DRM format
u32 num_planes ; of memory; 0: the host has not said
u64 modifier ; DRM format modifier
''')

struct('pipe_texture_params', 'Parameters that belong to a texture, not to a view.', '''
handle:resource texture ;
handle:sampler sampler ; the texture's own sampler, never null
u16 base_level ;
u16 max_level ;
enum:pipe_swizzle swizzle[4] ;
u8 stencil_mode ; 1: a depth-stencil texture is sampled as stencil
u8 pad0[7] ;
''')

struct('pipe_clear_value', 'Four words of a colour.', '''
u32 word[4] ;
''')

struct('pipe_indirect', 'The indirect block of a draw.', '''
handle:resource buffer ;
handle:resource parameter_buffer ; count (ARB_indirect_parameters)
u64 offset ;
u64 parameter_offset ;
u32 stride ; bytes; 0 is packed
u32 max_draws ;
''')

# --------------------------------------------------------------------------------------------------
# Capabilities
# --------------------------------------------------------------------------------------------------

for _name, _doc in (
    ('GEOMETRY_SHADER', 'geometry stage'),
    ('TESSELLATION_SHADER', 'tessellation stages'),
    ('COMPUTE_SHADER', 'compute stage'),
    ('BASE_INSTANCE', 'draws with a base instance, also in the shader'),
    ('DRAW_PARAMETERS', 'gl_DrawID and base values in the shader'),
    ('MULTI_DRAW_INDIRECT', 'several indirect draws in one record'),
    ('INDIRECT_PARAMETERS', 'draw count from a buffer'),
    ('STREAM_OUTPUT', 'transform feedback'),
    ('STREAM_OUTPUT_PAUSE', 'pause and resume of a capture, draws from a stream output count'),
    ('STREAM_OUTPUT_STREAMS', 'more than one vertex stream'),
    ('OCCLUSION_COUNT', 'exact sample counts'),
    ('OCCLUSION_PREDICATE', 'any samples passed'),
    ('TIMER_QUERY', 'timestamps and elapsed time'),
    ('PRIMITIVES_GENERATED', 'primitives generated without capture'),
    ('PIPELINE_STATISTICS', 'pipeline statistics queries'),
    ('RENDER_CONDITION', 'conditional rendering on the GPU'),
    ('QUERY_BUFFER', 'query results into a buffer'),
    ('INDEPENDENT_BLEND', 'enables and masks per target'),
    ('INDEPENDENT_BLEND_FUNC', 'equations and factors per target'),
    ('DUAL_SOURCE_BLEND', 'second source colour'),
    ('LOGIC_OP', 'logic operations'),
    ('POLYGON_MODE', 'lines and points from polygons'),
    ('DEPTH_CLAMP', 'depth clamp'),
    ('DEPTH_CLIP_HALFZ', 'clip control: zero to one'),
    ('CLIP_DISTANCE', 'clip distances in the shader'),
    ('CULL_DISTANCE', 'cull distances in the shader'),
    ('POLYGON_OFFSET_CLAMP', 'clamped polygon offset'),
    ('PROVOKING_VERTEX_LAST', 'last vertex provokes'),
    ('PROVOKING_VERTEX_FIRST', 'first vertex provokes'),
    ('WIDE_LINES', 'lines wider than one'),
    ('SMOOTH_LINES', 'antialiased lines'),
    ('VIEWPORT_ARRAY', 'more than one viewport'),
    ('LAYER_VIEWPORT_FROM_VERTEX', 'gl_Layer and gl_ViewportIndex outside the geometry stage'),
    ('SAMPLE_SHADING', 'per-sample shading'),
    ('TEXTURE_MULTISAMPLE', 'multisample textures'),
    ('TEXTURE_BUFFER', 'texture buffers'),
    ('TEXTURE_BUFFER_RANGE', 'texture buffers with a range'),
    ('TEXTURE_CUBE_ARRAY', 'cube map arrays'),
    ('TEXTURE_VIEW', 'texture views'),
    ('TEXTURE_SWIZZLE', 'component swizzle'),
    ('TEXTURE_BORDER_COLOR', 'border colours'),
    ('TEXTURE_MIRROR_CLAMP', 'mirror clamp to edge'),
    ('TEXTURE_LOD_BIAS', 'level of detail bias of a sampler'),
    ('TEXTURE_ANISOTROPY', 'anisotropic filtering'),
    ('TEXTURE_GATHER', 'texture gather'),
    ('TEXTURE_QUERY_LOD', 'textureQueryLod'),
    ('TEXTURE_STENCIL8', 'stencil-only textures'),
    ('STENCIL_TEXTURING', 'sampling of stencil'),
    ('SRGB_DECODE_CONTROL', 'samplers that skip the decode'),
    ('SRGB_WRITE_CONTROL', 'rendering without the encode'),
    ('SEAMLESS_CUBE_PER_TEXTURE', 'seamless cubes as sampler state'),
    ('SHADER_IMAGES', 'image load and store'),
    ('SHADER_STORAGE', 'storage buffers'),
    ('ATOMIC_COUNTERS', 'atomic counters'),
    ('FP64', 'doubles in shaders'),
    ('FP64_VERTEX', 'double vertex attributes'),
    ('COPY_IMAGE', 'resource_copy_region between textures'),
    ('CLEAR_TEXTURE', 'clear_texture'),
    ('PERSISTENT_MAP', 'map_persistent is worth asking'),
    ('DMABUF_IMPORT', 'dma-buf import'),
    ('DMABUF_EXPORT', 'dma-buf export'),
    ('FENCE_FD', 'fences as file descriptors'),
    ('ROBUST_ACCESS', 'out-of-range accesses are harmless'),
    ('RESET_STATUS', 'resets are noticed'),
    ('TEXTURE_BARRIER', 'texture barrier'),
    ('FRAMEBUFFER_NO_ATTACHMENTS', 'framebuffers without attachments'),
    ('BLIT_MS_SCALED', 'scaled resolves'),
    ('RUN_AHEAD', 'records that nobody waits for read nothing of the client'),
    ('COMPRESSED_S3TC', 'S3TC blocks'),
    ('COMPRESSED_RGTC', 'RGTC blocks'),
    ('COMPRESSED_BPTC', 'BPTC blocks'),
    ('COMPRESSED_ETC2', 'ETC2 and EAC blocks'),
    ('COMPRESSED_ASTC_LDR', 'ASTC LDR blocks'),
    ('SHADER_BALLOT', 'shader ballot and group vote'),
    ('SHADER_STENCIL_EXPORT', 'stencil written by the shader'),
    ('FRAGMENT_INTERLOCK', 'fragment shader interlock'),
    ('SPARSE', 'sparse resources'),
):
    cap_bit(_name, _doc)

enum('pipe_format_cap', 'What the host can do with a format (after the driver\'s own widening).', '''
SAMPLE ; sampled
FILTER ; filtered linearly
RENDER ; colour attachment
BLEND ; blended
DEPTH_STENCIL ; depth or stencil attachment
MULTISAMPLE ; as many samples as the limits say
IMAGE_LOAD ; shader image read
IMAGE_STORE ; shader image write
IMAGE_ATOMIC ;
TEXTURE_BUFFER ; texture buffer
VERTEX ; vertex attribute
MIPMAP ; generate_mipmap
READ ; the driver can read it back
NATIVE ; stored as it is, not widened
COPY ; resource_copy_region
LAYERED_RENDER ; layered attachment
''', flags=True)

struct('pipe_format_caps', 'Capabilities of one format.', '''
enum:pipe_format_cap caps ;
u32 sample_counts ; bit n: n samples
''')

caps('''
u64 call_mask[4] ; bit opcode-1: the driver implements the call
u64 features[2] ; pipe_cap bits
u32 max_texture_2d_size ;
u32 max_texture_3d_size ;
u32 max_texture_cube_size ;
u32 max_texture_layers ;
u32 max_texture_buffer_size ; texels
u32 max_renderbuffer_size ;
u32 max_framebuffer_width ;
u32 max_framebuffer_height ;
u32 max_framebuffer_layers ;
u32 max_samples ;
u32 max_integer_samples ;
u32 max_color_samples ;
u32 max_depth_samples ;
u32 max_color_buffers ;
u32 max_dual_source_buffers ;
u32 max_viewports ;
u32 max_viewport_dims[2] ;
u32 max_clip_distances ;
u32 max_cull_distances ;
u32 max_vertex_attribs ;
u32 max_vertex_buffers ;
u32 max_vertex_stride ;
u32 max_vertex_attrib_relative_offset ;
u32 max_uniform_block_size ;
u32 max_storage_block_size ;
u32 uniform_buffer_alignment ;
u32 storage_buffer_alignment ;
u32 texture_buffer_alignment ;
u32 min_map_alignment ;
u32 max_samplers_per_stage[6] ;
u32 max_images_per_stage[6] ;
u32 max_uniform_blocks_per_stage[6] ;
u32 max_storage_blocks_per_stage[6] ;
u32 max_atomic_buffers_per_stage[6] ;
u32 max_uniform_vectors_per_stage[6] ; vec4 slots of the default block
u32 max_combined_samplers ;
u32 max_combined_images ;
u32 max_combined_uniform_blocks ;
u32 max_combined_storage_blocks ;
u32 max_varying_vectors ;
u32 max_vertex_output_components ;
u32 max_geometry_input_components ;
u32 max_geometry_output_components ;
u32 max_geometry_total_output_components ;
u32 max_geometry_output_vertices ;
u32 max_geometry_invocations ;
u32 max_fragment_input_components ;
u32 max_tess_gen_level ;
u32 max_patch_vertices ;
u32 max_tess_patch_components ;
u32 max_tess_control_output_components ;
u32 max_tess_control_total_output_components ;
u32 max_compute_work_group_count[3] ;
u32 max_compute_work_group_size[3] ;
u32 max_compute_work_group_invocations ;
u32 max_compute_shared_memory ;
u32 max_so_buffers ;
u32 max_so_streams ;
u32 max_so_separate_components ;
u32 max_so_interleaved_components ;
i32 min_texel_offset ;
i32 max_texel_offset ;
i32 min_gather_offset ;
i32 max_gather_offset ;
f32 max_texture_lod_bias ;
f32 max_texture_anisotropy ;
f32 line_width_range[2] ;
f32 line_width_granularity ;
f32 point_size_range[2] ;
f32 point_size_granularity ;
f32 min_interpolation_offset ;
f32 max_interpolation_offset ;
u32 interpolation_offset_bits ;
u32 subpixel_bits ;
u32 viewport_subpixel_bits ;
u32 viewport_bounds_range ; plus and minus
u32 timestamp_bits ;
u32 stage_row_alignment ; bytes; rows of texel uploads the driver likes
u32 stage_offset_alignment ; bytes
enum:pipe_device device ;
u8 is_software ;
u8 pad0[2] ;
u32 pad1 ;
u64 max_buffer_size ;
u64 video_memory ; bytes, 0 unknown
u8 driver_name[32] ; "espryt", "magma", "noop"
u8 device_name[128] ; for GL_RENDERER
u8 host_version[128] ; for GL_RENDERER and logs
u8 device_uuid[16] ;
u8 driver_uuid[16] ;
pipe_format_caps format[PIPE_FORMAT_COUNT] ;
''')

# --------------------------------------------------------------------------------------------------
# Input groups (poison): what a verb reads and which calls fill it. Name, sticky, initial (see input_group).
# --------------------------------------------------------------------------------------------------

for _name, _sticky, _initial, _doc in (
    ('render_state', True, False, 'bound pipeline subset'),
    ('dynamic_state', True, False, 'dynamic subset'),
    ('sample_state', True, True, 'sample mask'),
    ('framebuffer', True, True, 'framebuffer objects'),
    ('framebuffer_binding', True, True, 'draw and read framebuffer'),
    ('vertex_elements', True, False, 'bound vertex layout'),
    ('vertex_buffers', True, True, 'vertex buffers'),
    ('index_buffer', True, True, 'index buffer'),
    ('indirect_buffers', True, True, 'indirect and parameter buffers'),
    ('sampler_views', True, True, 'sampler views'),
    ('samplers', True, True, 'sampler states'),
    ('shader_images', True, True, 'image units'),
    ('shader_buffers', True, True, 'uniform, storage and atomic buffers'),
    ('stream_output', True, True, 'capture targets'),
    ('global_constants', True, True, 'default uniform block'),
    ('vertex_attrib_defaults', True, True, 'current attribute values'),
    ('pixel_pack', True, True, 'pack state'),
    ('patch_state', True, True, 'patch size and default levels'),
    ('draw_program', True, False, 'program of draws'),
    ('dispatch_program', True, False, 'program of dispatches'),
    ('program_bindings', True, True, 'slots to units'),
    ('texture_params', True, True, 'parameters of textures'),
    ('render_condition', True, True, 'conditional rendering'),
):
    input_group(_name, _sticky, _initial, _doc)

DRAW_READS = ('render_state', 'dynamic_state', 'sample_state', 'framebuffer', 'framebuffer_binding', 'vertex_elements',
              'vertex_buffers', 'index_buffer', 'indirect_buffers', 'sampler_views', 'samplers', 'shader_images',
              'shader_buffers', 'stream_output', 'global_constants', 'vertex_attrib_defaults', 'patch_state',
              'draw_program', 'program_bindings', 'texture_params', 'render_condition')

# --------------------------------------------------------------------------------------------------
# Calls. Opcodes are positions: append only.
# --------------------------------------------------------------------------------------------------

# --- screen ---------------------------------------------------------------------------------------

call('get_caps', 'screen', 'SCR', 'Capabilities, frozen for the session.', '''
u32 flags ; 0
u32 pad0 ;
''', wait='reply', root=True, reply='''
pipe_caps caps ;
''')

call('stage_alloc', 'screen', 'SCR', 'Memory for bytes on their way to the driver. Valid until the record that names it was applied. '
     'Local to the client side in every form.', '''
u64 size ;
u32 alignment ; power of two
u32 lane ; slot of the lane that will send it
''', wait='reply', root=True, flags=('L',), reply='''
u64 address ; where to write
u64 offset ; for the host span
u64 size ; at least the size asked for, or 0: use an ordinary pointer
enum:pipe_segment seg ;
u32 pad0 ;
''')

call('resource_create', 'screen', 'SCR', 'Introduces a resource. A refusal by the host marks the handle bad and raises one GL_OUT_OF_MEMORY.', '''
pipe_resource_desc desc ;
u8 want_ack ; the client waits by a following flush (immutable buffers)
u8 pad0[7] ;
''', makes='desc.resource')

call('resource_respecify', 'screen', 'SCR', 'Redefines a buffer (orphan) or a texture; the listed levels keep their texels.', '''
pipe_resource_desc desc ;
u32 keep_levels ; bit mask of levels whose contents stay (textures)
u32 pad0 ;
''', makes='desc.resource')

call('resource_destroy', 'screen', 'SCR', 'Drops a resource; views and attachments keep its storage.', '''
handle:resource resource ;
''')

call('resource_invalidate', 'screen', 'SCR', 'Contents become undefined (glInvalidateBufferData, glInvalidateTexImage).', '''
handle:resource resource ;
u32 level ; textures; 0xffffffff: all
u32 pad0 ;
u64 offset ; buffers
u64 size ;
''')

call('resource_import', 'screen', 'SCR', 'Makes a texture of one level from a dma-buf. DECLINED: this format or modifier is not taken; ERROR: this memory is not.', '''
pipe_resource_desc desc ;
u32 fourcc ; DRM format, the layout of desc.format
u32 num_planes ; of memory: 1 to 4
u64 modifier ; DRM format modifier; 0x00ffffffffffffff: whatever the exporter implies
u32 offset[4] ; bytes, by plane
u32 stride[4] ;
i32 fd[4] ; by plane, the caller's, who keeps them; to another process they travel beside the record
''', wait='reply', root=True, makes='desc.resource')

call('resource_export', 'screen', 'SCR', 'Makes a texture of one level in memory of its own, of one plane, that others reach as a dma-buf. '
     'DECLINED: this format with one of these modifiers cannot be had.', '''
pipe_resource_desc desc ; the pixels are those of desc.format
u32 num_modifiers ; 1 to 64
u32 pad0 ;
u64 modifier[64] ; DRM format modifiers; any of them will do
''', wait='reply', root=True, makes='desc.resource', reply='''
u64 modifier ; of those that were named
u32 offset ; bytes
u32 stride ;
i32 fd ; the caller's; from another process it travels beside the answer
u32 pad0 ;
''')

call('map_persistent', 'screen', 'SCR', 'Asks to share the store of a persistently mapped buffer; declined: the client pushes.', '''
handle:resource resource ;
''', wait='reply', reply='''
u64 address ;
u64 size ;
''')

call('unmap_persistent', 'screen', 'SCR', 'Ends map_persistent.', '''
handle:resource resource ;
''')

call('fence_create', 'screen', 'SCR', 'A fence after everything this lane sent before.', '''
handle:fence fence ;
''', makes='fence')

call('fence_status', 'screen', 'SCR', 'Escalated poll of a fence; flushes what it waits for.', '''
handle:fence fence ;
''', wait='reply', reply='''
u8 signaled ;
u8 pad0[7] ;
''')

call('fence_wait', 'screen', 'SCR', 'Waits for a fence.', '''
handle:fence fence ;
u64 timeout_ns ;
''', wait='reply', reply='''
u8 signaled ;
u8 pad0[7] ;
''')

call('fence_wait_server', 'screen', 'SCR', 'Later work of this lane waits for the fence (glWaitSync).', '''
handle:fence fence ;
''')

call('fence_destroy', 'screen', 'SCR', 'Forgets a fence.', '''
handle:fence fence ;
''')

call('fence_import_fd', 'screen', 'SCR', 'Fence from a file descriptor that travels beside the record.', '''
handle:fence fence ;
''', wait='reply', makes='fence')

call('fence_export_fd', 'screen', 'SCR', 'File descriptor of a fence; it travels beside the answer.', '''
handle:fence fence ;
''', wait='reply')

call('surface_create', 'screen', 'SCR', 'A pbuffer, window, pixmap or image set.', '''
handle:surface surface ;
enum:pipe_surface_kind kind ;
u8 samples ;
u8 pad0[2] ;
enum:pipe_format color_format ;
enum:pipe_format depth_format ; depth and stencil together, or NONE
u32 width ;
u32 height ;
u8 double_buffered ;
u8 srgb ;
enum:pipe_platform platform ; of a window or pixmap
u8 pad1[9] ;
u64 native ; see pipe_platform
''', wait='reply', root=True, reply='''
u32 width ;
u32 height ;
''')

call('surface_resize', 'screen', 'SCR', 'New size of a surface; contents become undefined.', '''
handle:surface surface ;
u32 width ;
u32 height ;
''', wait='reply', root=True)

call('surface_destroy', 'screen', 'SCR', 'Drops a surface.', '''
handle:surface surface ;
''', wait='reply', root=True)

call('destroy_object', 'screen', 'SCR', 'Death of an object of a kind without a delete of its own.', '''
handle:framebuffer object ; any kind
u32 kind ; pipe_handle_kind
u32 pad0 ;
''')

call('memory_info', 'screen', 'SCR', 'Memory of the device.', '''
u32 flags ;
u32 pad0 ;
''', wait='reply', root=True, reply='''
u64 total ;
u64 available ;
u64 evicted ;
''')

# --- lane -----------------------------------------------------------------------------------------

call('lane_create', 'screen', 'LANE', 'Makes a lane. Returns its table; never null except when out of memory.', '''
handle:lane lane ;
u8 robust ; GL_CONTEXT_ROBUST_ACCESS
u8 no_error ;
u8 debug ;
u8 reset_isolation ;
u32 priority ;
''', wait='applied', root=True, flags=('C',))

call('lane_current', 'context', 'LANE', 'The lane becomes current on the calling thread, or is released (both surfaces null and release set).', '''
handle:surface draw ;
handle:surface read ;
u8 release ;
u8 pad0[7] ;
''')

call('lane_wait', 'context', 'LANE', 'Later records wait until another lane of the display has applied its record `ordinal`.', '''
handle:lane lane ;
u64 ordinal ;
''')

call('lane_destroy', 'context', 'LANE', 'Ends the lane; ctx is invalid afterwards.', '''
handle:lane lane ;
''', wait='applied')

call('get_reset_status', 'context', 'LANE', 'Graphics reset status.', '''
u32 flags ;
u32 pad0 ;
''', wait='reply', reply='''
enum:pipe_reset_status status ;
u8 pad0[7] ;
''')

call('flush', 'context', 'LANE', 'Hands queued work to the host.', '''
enum:pipe_flush_flag flags ; without FINISH
u32 pad0 ;
''')

call('finish', 'context', 'LANE', 'Flush with a finish: answered when the host has finished everything of this lane.', '''
u32 flags ;
u32 pad0 ;
''', wait='reply')

call('flush_resource', 'context', 'LANE', 'Makes a shared resource coherent for others.', '''
handle:resource resource ;
''')

call('debug_marker', 'context', 'LANE', 'A debug marker, handed to the host where it has such.', '''
u32 kind ; 0 insert, 1 push, 2 pop
u32 pad0 ;
''', spans=('text',))

# --- query ----------------------------------------------------------------------------------------

call('query_create', 'context', 'QRY', 'A query object.', '''
handle:query query ;
enum:pipe_query_type type ;
u8 index ; stream or statistic
u8 pad0[6] ;
''', makes='query')

call('query_begin', 'context', 'QRY', 'Begins counting.', '''
handle:query query ;
''')

call('query_end', 'context', 'QRY', 'Ends counting.', '''
handle:query query ;
''')

call('query_available', 'context', 'QRY', 'Escalated poll; flushes what it waits for.', '''
handle:query query ;
''', wait='reply', reply='''
u64 result ;
u8 available ;
u8 pad0[7] ;
''')

call('query_result', 'context', 'QRY', 'Waits for the result.', '''
handle:query query ;
''', wait='reply', reply='''
u64 result ;
''')

call('query_destroy', 'context', 'QRY', 'Forgets a query.', '''
handle:query query ;
''')

call('query_counter', 'context', 'QRY', 'Stamps a TIMESTAMP query.', '''
handle:query query ;
''')

call('query_timestamp', 'context', 'QRY', 'The GPU time now, nanoseconds.', '''
u32 flags ;
u32 pad0 ;
''', wait='reply', reply='''
u64 timestamp ;
''')

call('query_result_to_buffer', 'context', 'QRY', 'Writes a result into a buffer.', '''
handle:query query ;
handle:resource buffer ;
u64 offset ;
u8 is_64bit ;
u8 is_signed ;
u8 wait ; GL_QUERY_RESULT; else NO_WAIT
u8 availability ; writes the availability instead
u8 pad0[4] ;
''')

call('set_render_condition', 'context', 'QRY', 'Draws and clears depend on a query; null ends it.', '''
handle:query query ;
enum:pipe_render_cond mode ;
u8 inverted ;
u8 pad0[6] ;
''', fills='render_condition')

# --- constant state objects -----------------------------------------------------------------------

call('create_render_state', 'context', 'CSO', 'Pipeline subset of the render state: the changed chunks against a base.', '''
handle:render_state cso ;
handle:render_state base ; null: all chunks are present
u32 chunk_mask ; bit pipe_rs_chunk; chunk bytes follow in order in the span
u32 pad0 ;
''', spans=('chunks',), makes='cso')

call('bind_render_state', 'context', 'CSO', 'Binds a render state.', '''
handle:render_state cso ;
''', fills='render_state')

call('delete_render_state', 'context', 'CSO', 'Deletes a render state.', '''
handle:render_state cso ;
''')

call('create_vertex_elements', 'context', 'CSO', 'Vertex layout: attributes and binding points.', '''
handle:vertex_elements cso ;
u32 num_elements ;
u32 num_bindings ;
''', tails=(('elements', 'pipe_vertex_element', 'num_elements'), ('bindings', 'pipe_vertex_binding', 'num_bindings')), makes='cso')

call('bind_vertex_elements', 'context', 'CSO', 'Binds a vertex layout.', '''
handle:vertex_elements cso ;
''', fills='vertex_elements')

call('delete_vertex_elements', 'context', 'CSO', 'Deletes a vertex layout.', '''
handle:vertex_elements cso ;
''')

call('create_shader_state', 'screen', 'CSO', 'All stages of a linked program. Re-sent on the same handle after a relink.', '''
handle:shader shader ;
u32 serial ; counts relinks
u32 gl_name ; for logs only
u64 content_hash ; drivers may share what they compiled by it
''', archive='archive', makes='shader')

call('bind_shader_state', 'context', 'CSO', 'Hint that a program will be used: drivers may start to compile.', '''
handle:shader shader ;
''')

call('delete_shader_state', 'screen', 'CSO', 'Deletes a program.', '''
handle:shader shader ;
''')

call('create_sampler_state', 'screen', 'CSO', 'A sampler.', '''
handle:sampler sampler ;
pipe_sampler_state state ;
''', makes='sampler')

call('delete_sampler_state', 'screen', 'CSO', 'Deletes a sampler.', '''
handle:sampler sampler ;
''')

call('create_sampler_view', 'screen', 'CSO', 'A window on a texture. Swizzle and base level come from set_texture_params.', '''
handle:sampler_view view ;
handle:resource texture ;
enum:pipe_format format ;
enum:pipe_texture_target target ;
enum:pipe_aspect aspect ; depth or stencil of a depth-stencil texture
enum:pipe_swizzle swizzle[4] ; complete: the texture's swizzle and the base format's
u16 first_level ; absolute level of the resource
u16 num_levels ;
u16 first_layer ;
u16 num_layers ;
u8 pad0[6] ;
''', makes='view')

call('delete_sampler_view', 'screen', 'CSO', 'Deletes a view.', '''
handle:sampler_view view ;
''')

# --- state ----------------------------------------------------------------------------------------

call('set_dynamic_state', 'context', 'STATE', 'Changed chunks of the dynamic subset.', '''
u32 chunk_mask ; bit pipe_ds_chunk; chunk bytes follow in order in the span
u32 pad0 ;
''', spans=('chunks',), fills='dynamic_state')

call('set_sample_state', 'context', 'STATE', 'Sample mask.', '''
u32 mask[2] ;
u8 mask_enable ;
u8 pad0[3] ;
f32 coverage_value ; glSampleCoverage, 1 when off
u8 coverage_enable ;
u8 coverage_invert ;
u8 pad1[6] ;
''', fills='sample_state')

call('set_framebuffer_state', 'context', 'STATE', 'Attachments of one framebuffer. {0,1} is made of the surfaces of lane_current.', '''
handle:framebuffer framebuffer ;
pipe_surface_view color[8] ;
pipe_surface_view depth ;
pipe_surface_view stencil ;
i8 draw_buffer[8] ; output -> attachment, -1 none
i8 read_buffer ; attachment that reads use, -1 none
u8 samples ;
u8 fixed_sample_locations ;
u8 complete ;
u8 num_draw_buffers ;
u8 pad0[3] ;
u32 width ;
u32 height ;
u32 layers ; 0: not layered
u32 pad1 ;
''', fills='framebuffer', per='framebuffer', makes='framebuffer')

call('bind_framebuffers', 'context', 'STATE', 'Draw and read framebuffer.', '''
handle:framebuffer draw ;
handle:framebuffer read ;
''', fills='framebuffer_binding')

call('set_vertex_buffers', 'context', 'STATE', 'Changed span of vertex buffer binding points.', '''
u32 start ;
u32 count ;
''', tails=(('buffers', 'pipe_vertex_buffer', 'count'),), fills='vertex_buffers')

call('set_index_buffer', 'context', 'STATE', 'Index buffer.', '''
handle:resource buffer ;
''', fills='index_buffer')

call('set_indirect_buffers', 'context', 'STATE', 'Indirect-family buffers.', '''
handle:resource draw_indirect ;
handle:resource dispatch_indirect ;
handle:resource parameter ;
''', fills='indirect_buffers')

call('set_sampler_views', 'context', 'STATE', 'Changed span of texture units (merged over stages).', '''
u32 start ;
u32 count ;
''', tails=(('slots', 'pipe_texture_slot', 'count'),), fills='sampler_views')

call('bind_sampler_states', 'context', 'STATE', 'Changed span of samplers; null: the texture\'s own.', '''
u32 start ;
u32 count ;
''', tails=(('samplers', 'handle:sampler', 'count'),), fills='samplers')

call('set_shader_images', 'context', 'STATE', 'Changed span of image units.', '''
u32 start ;
u32 count ;
''', tails=(('images', 'pipe_shader_image', 'count'),), fills='shader_images')

call('set_shader_buffers', 'context', 'STATE', 'Changed span of indexed buffers of one class.', '''
enum:pipe_buffer_class cls ;
u8 pad0[3] ;
u32 start ;
u32 count ;
u32 pad1 ;
''', tails=(('ranges', 'pipe_buffer_range', 'count'),), fills='shader_buffers', per='cls')

call('set_stream_output_targets', 'context', 'STATE', 'Capture targets of a stream output object.', '''
handle:stream_output so ;
u32 count ;
u32 pad0 ;
''', tails=(('targets', 'pipe_so_target', 'count'),), fills='stream_output', per='so', makes='so')

call('set_global_constants', 'context', 'STATE', 'Dirty byte range of a program\'s default uniform block.', '''
handle:shader shader ;
u32 offset ;
u32 size ;
''', spans=('data',), fills='global_constants', per='shader')

call('set_vertex_attrib_defaults', 'context', 'STATE', 'Changed current attribute values.', '''
u32 count ;
u32 pad0 ;
''', tails=(('values', 'pipe_attrib_value', 'count'),), fills='vertex_attrib_defaults')

call('set_pixel_pack_state', 'context', 'STATE', 'Pack state of reads into buffers.', '''
u32 alignment ;
u32 row_length ;
u32 image_height ;
u32 skip_pixels ;
u32 skip_rows ;
u32 skip_images ;
u8 swap_bytes ;
u8 invert ; GL_PACK_INVERT_MESA
u8 pad0[6] ;
''', fills='pixel_pack')

call('set_patch_state', 'context', 'STATE', 'Patch size and default tessellation levels, compared bitwise.', '''
u32 vertices ;
f32 outer[4] ;
f32 inner[2] ;
u32 pad0 ;
''', fills='patch_state')

call('set_draw_program', 'context', 'STATE', 'Program of draws.', '''
handle:shader shader ;
''', fills='draw_program')

call('set_dispatch_program', 'context', 'STATE', 'Program of dispatches.', '''
handle:shader shader ;
''', fills='dispatch_program')

call('set_program_bindings', 'context', 'STATE', 'Which unit or binding point each slot of a program reads.', '''
handle:shader shader ;
u32 count ;
u32 pad0 ;
''', tails=(('bindings', 'pipe_slot_binding', 'count'),), fills='program_bindings', per='shader')

call('set_texture_params', 'context', 'STATE', 'Parameters of a texture.', '''
pipe_texture_params params ;
''', fills='texture_params', per='params.texture')

# --- transfer -------------------------------------------------------------------------------------

call('resource_subdata', 'context', 'XFER', 'Writes texels or bytes. Buffers: one region, box.x/width are not used, see offset and size.', '''
handle:resource resource ;
u32 level ;
u32 num_regions ; textures; 0 for buffers
u64 offset ; buffers: first byte
u64 size ; buffers: bytes
enum:pipe_subdata_flag flags ;
enum:pipe_aspect aspect ; depth-stencil: which aspects the bytes carry
u8 pad0[3] ;
''', tails=(('regions', 'pipe_region', 'num_regions'),), spans=('data',))

call('buffer_subdata_resident', 'context', 'XFER', 'GPU-ordered write into a shared persistent store.', '''
handle:resource resource ;
u64 offset ;
u64 size ;
''', spans=('data',))

call('resource_flush_range', 'context', 'XFER', 'The client wrote a range of a shared persistent store.', '''
handle:resource resource ;
u64 offset ;
u64 size ;
''')

call('resource_readback', 'context', 'XFER', 'Reads bytes of a buffer.', '''
handle:resource resource ;
u64 offset ;
u64 size ;
''', wait='reply', reply_bytes=True)

call('resource_copy_region', 'context', 'XFER', 'Copies between buffers or between textures of the same block size.', '''
handle:resource dst ;
handle:resource src ;
u32 dst_level ;
u32 src_level ;
pipe_box src_box ; buffers: x unused
i32 dst_x ;
i32 dst_y ;
i32 dst_z ;
u32 pad0 ;
u64 dst_offset ; buffers
u64 src_offset ; buffers
u64 size ; buffers
''')

call('copy_buffer_to_texture', 'context', 'XFER', 'Upload from a buffer whose layout matches the format.', '''
handle:resource texture ;
handle:resource buffer ;
u32 level ;
u32 num_regions ; offsets are relative to buffer_offset
u64 buffer_offset ;
enum:pipe_aspect aspect ;
u8 pad0[7] ;
''', tails=(('regions', 'pipe_region', 'num_regions'),))

call('clear_buffer', 'context', 'XFER', 'Fills a buffer range with a pattern.', '''
handle:resource buffer ;
u64 offset ;
u64 size ;
u32 pattern_size ; 1, 2, 4, 8, 12 or 16
u32 pattern[4] ;
u32 pad0 ;
''')

call('clear_texture', 'context', 'XFER', 'Fills a box of a texture with one texel of its own format.', '''
handle:resource texture ;
u32 level ;
u8 texel_size ; bytes in texel; depth-stencil: Z32_FLOAT_S8X24 layout
u8 pad0[3] ;
pipe_box box ;
u8 texel[16] ;
''')

call('blit', 'context', 'XFER', 'Copies between framebuffers by desktop rules.', '''
handle:framebuffer src ;
handle:framebuffer dst ;
pipe_blit_box src_box ;
pipe_blit_box dst_box ;
enum:pipe_buffer_mask mask ; COLOR0: the read buffer to every draw buffer
enum:pipe_tex_filter filter ;
u8 pad0[3] ;
''', reads=('framebuffer', 'dynamic_state', 'render_state', 'render_condition'))

call('clear', 'context', 'XFER', 'Clears buffers of a framebuffer under scissor and masks. COLORn means draw buffer n.', '''
handle:framebuffer framebuffer ;
enum:pipe_buffer_mask mask ;
enum:pipe_value_class cls ; of color
u8 pad0[3] ;
pipe_clear_value color ;
f32 depth ;
u32 stencil ;
''', reads=('framebuffer', 'dynamic_state', 'render_state', 'render_condition'))

call('invalidate_framebuffer', 'context', 'XFER', 'Contents of attachments are not needed. COLORn means attachment n.', '''
handle:framebuffer framebuffer ;
enum:pipe_buffer_mask mask ;
u8 has_box ;
u8 pad0[3] ;
pipe_scissor box ;
''', reads=('framebuffer',))

call('generate_mipmap', 'context', 'XFER', 'Fills levels base+1 to last from base.', '''
handle:resource texture ;
u32 base_level ;
u32 last_level ;
u32 first_layer ;
u32 num_layers ;
enum:pipe_format format ; of the view that asks
u32 pad0 ;
''', reads=('texture_params',))

call('read_pixels', 'context', 'XFER', 'Reads texels of a framebuffer, tightly packed rows of row_stride bytes, row y first. '
     'The driver converts to `format`, which keeps every bit of the attachment.', '''
handle:framebuffer framebuffer ;
i32 x ;
i32 y ;
u32 width ;
u32 height ;
enum:pipe_format format ; layout of the answer
enum:pipe_buffer_mask mask ; COLOR0: read buffer; DEPTH, STENCIL
u32 row_stride ;
u32 pad0 ;
''', wait='reply', reply_bytes=True, reads=('framebuffer',))

call('read_pixels_to_buffer', 'context', 'XFER', 'The same into a buffer, with pack state; nobody waits.', '''
handle:framebuffer framebuffer ;
i32 x ;
i32 y ;
u32 width ;
u32 height ;
enum:pipe_format format ;
enum:pipe_buffer_mask mask ;
handle:resource buffer ;
u64 offset ;
u32 row_stride ;
u32 pad0 ;
''', reads=('framebuffer', 'pixel_pack'))

call('get_texture_image', 'context', 'XFER', 'Reads texels of a texture level; compressed formats as blocks.', '''
handle:resource texture ;
u32 level ;
enum:pipe_format format ; layout of the answer
pipe_box box ;
u32 row_stride ;
u32 slice_stride ;
enum:pipe_aspect aspect ;
u8 pad0[7] ;
''', wait='reply', reply_bytes=True)

call('get_texture_image_to_buffer', 'context', 'XFER', 'The same into a buffer; nobody waits.', '''
handle:resource texture ;
u32 level ;
enum:pipe_format format ;
pipe_box box ;
u32 row_stride ;
u32 slice_stride ;
handle:resource buffer ;
u64 offset ;
enum:pipe_aspect aspect ;
u8 pad0[7] ;
''', reads=('pixel_pack',))

call('copy_framebuffer_to_texture', 'context', 'XFER', 'glCopyTexSubImage: from the read buffer into a texture level.', '''
handle:framebuffer framebuffer ;
handle:resource texture ;
u32 level ;
i32 x ; source
i32 y ;
u32 width ;
u32 height ;
i32 dst_x ;
i32 dst_y ;
i32 dst_z ;
enum:pipe_buffer_mask mask ; COLOR0, or DEPTH and STENCIL
u32 pad0 ;
''', reads=('framebuffer',))

# --- verbs ----------------------------------------------------------------------------------------

call('draw_vbo', 'context', 'VERB', 'All draws.', '''
enum:pipe_prim mode ;
u8 index_size ; 0: arrays; 1, 2, 4
enum:pipe_draw_flag flags ;
u8 stream ; with SO_COUNT: whose vertices are counted
u32 instance_count ;
u32 start_instance ;
u32 restart_index ;
u32 min_index ; with INDEX_RANGE
u32 max_index ;
u32 draw_id ; gl_DrawID of the first range
u32 num_ranges ; 0 when INDIRECT or SO_COUNT
u32 num_indirect ; 0 or 1
handle:stream_output so ; with SO_COUNT
''', tails=(('ranges', 'pipe_draw_range', 'num_ranges'), ('indirect', 'pipe_indirect', 'num_indirect')), spans=('indices',),
     reads=DRAW_READS)

call('launch_grid', 'context', 'VERB', 'A dispatch.', '''
u32 grid[3] ;
u32 pad0 ;
handle:resource indirect ; null: grid counts
u64 indirect_offset ;
''', reads=('dispatch_program', 'sampler_views', 'samplers', 'shader_images', 'shader_buffers', 'global_constants',
            'program_bindings', 'texture_params', 'indirect_buffers', 'render_condition'))

call('memory_barrier', 'context', 'VERB', 'glMemoryBarrier.', '''
enum:pipe_barrier barriers ;
u8 by_region ;
u8 pad0[3] ;
''')

call('texture_barrier', 'context', 'VERB', 'glTextureBarrier.', '''
u32 flags ;
u32 pad0 ;
''')

call('begin_stream_output', 'context', 'VERB', 'Begins a capture.', '''
handle:stream_output so ;
enum:pipe_prim mode ;
u8 pad0[7] ;
''', reads=('stream_output', 'draw_program'))

call('end_stream_output', 'context', 'VERB', 'Ends a capture.', '''
handle:stream_output so ;
u8 has_client_count ;
u8 pad0[3] ;
u32 captured_vertices ; the client's count when the host cannot count
''')

call('pause_stream_output', 'context', 'VERB', 'Pauses a capture.', '''
handle:stream_output so ;
''')

call('resume_stream_output', 'context', 'VERB', 'Resumes a capture.', '''
handle:stream_output so ;
''', reads=('stream_output', 'draw_program'))

call('present', 'context', 'VERB', 'Shows a surface, one per swap.', '''
handle:surface surface ;
u64 serial ; counts from 1 per surface
i32 interval ;
u32 num_rects ; damage; 0: everything
handle:resource target ; null, or of resource_export: instead of being shown, the frame is in there when the present is done, the top row first
''', wait='present', tails=(('damage', 'pipe_scissor', 'num_rects'),))

call('set_swap_interval', 'context', 'VERB', 'Swap interval of a surface.', '''
handle:surface surface ;
i32 interval ;
u32 pad0 ;
''')

call('image_create', 'screen', 'SCR', 'An image of the storage of a texture that is no view. DECLINED: it cannot be shared.', '''
handle:image image ;
handle:resource resource ;
''', wait='reply', makes='image')

call('image_import', 'screen', 'SCR', 'A resource of the storage of an image, whose share group may be another: the very same texels. DECLINED: no such image.', '''
handle:resource resource ;
handle:image image ;
''', wait='reply', makes='resource')

call('image_destroy', 'screen', 'SCR', 'Forgets an image; resources keep its storage. Goes with the screen that made it.', '''
handle:image image ;
''')

call('dmabuf_formats', 'screen', 'SCR', 'What resource_import takes, a page at a time.', '''
u32 first ; pairs to leave out
u32 pad0 ;
''', wait='reply', root=True, reply='''
u32 total ; pairs that there are
u32 count ; of them in `pair`
pipe_dmabuf_format pair[64] ;
''')

# --------------------------------------------------------------------------------------------------
# Reverse callbacks
# --------------------------------------------------------------------------------------------------

callback('on_gl_error', 'A host refusal that is a GL error; once per cause.', '''
handle:lane lane ;
u32 error ; GL enum value
u32 pad0 ;
''', spans=('message',))

callback('on_buffer_writeback', 'Bytes that a server was told to send without being asked for them lie where the client wants them. Of servers; drivers do not call it.', '''
handle:resource resource ;
u64 offset ;
u64 size ; 0: they will not come
''')

callback('on_fence_signaled', 'A fence retired.', '''
handle:fence fence ;
''')

callback('on_query_ready', 'A query result arrived.', '''
handle:query query ;
handle:lane lane ;
u64 result ;
''')

callback('on_device_lost', 'The device or the server is gone.', '''
handle:lane lane ; null: every lane
enum:pipe_reset_status status ;
u8 pad0[7] ;
''', spans=('reason',))

callback('on_log', 'A log line.', '''
enum:pipe_log_level level ;
u8 pad0[7] ;
''', spans=('text',))

callback('on_frame', 'Part of a frame of a surface of kind FRAMES: rows of 4 bytes per pixel, the top row first, without gaps. Unlike the others it comes at any time, on a thread of the link.', '''
handle:surface surface ;
u64 serial ; of its present
u32 x ; from the top left of the frame
u32 y ;
u32 width ; 0: nothing changed
u32 height ;
u32 frame_width ; of the whole surface
u32 frame_height ;
u8 last ; the frame is complete
u8 slot ; 0: `pixels` has them; n: the whole frame is in buffer n - 1 of the client's (frame_memory)
u8 pad0[6] ;
''', spans=('pixels',))

# --------------------------------------------------------------------------------------------------
# Faults and refusals
# --------------------------------------------------------------------------------------------------

for _name, _doc in (
    ('RECORD_SIZE', 'a record is shorter than its header or payload, not a multiple of 8, or crosses the head'),
    ('OPCODE', 'an opcode that does not exist'),
    ('COUNT', 'a count that the record cannot hold or above its limit'),
    ('SEGMENT', 'a host span that names no segment, or a pointer on a wire'),
    ('SPAN', 'a host span outside its segment'),
    ('ARCHIVE', 'a shader archive that does not decode'),
    ('GENERATION', 'a handle generation that runs backwards'),
    ('SLOT', 'a handle slot above its limit'),
    ('CURSOR', 'a ring cursor outside the ring or running backwards'),
    ('PROTOCOL', 'a message out of order'),
    ('SEAL', 'a segment without its seals'),
    ('ENUM', 'an enum value that does not exist'),
    ('EVENT_OVERFLOW', 'the peer does not drain its events'),
    ('REPLY', 'an answer nobody asked for'),
):
    fault(_name, _doc)

for _name, _doc in (
    ('FINGERPRINT', 'the two sides were built from different definitions'),
    ('VERSION', 'control protocol versions differ'),
    ('MAGIC', 'the peer does not speak this protocol'),
    ('DRIVER', 'the driver does not exist or cannot start on this host'),
    ('FORM', 'a server accepts no form but monolith'),
    ('BUSY', 'too many sessions'),
    ('RECURSION', 'a server was started inside a server'),
    ('BUILD', 'a forked child from another build'),
    ('TOKEN', 'the token is missing or wrong'),
    ('USER', 'the peer runs as another user'),
):
    refusal(_name, _doc)

# --------------------------------------------------------------------------------------------------
# Control plane
# --------------------------------------------------------------------------------------------------

control('hello', 'First message of a client. Debug flags and driver options follow as text, one NAME=VALUE per line.', '''
u64 magic ;
u32 control_version ;
u32 pid ;
u64 fingerprint[2] ; of the wire
u32 ring_kb ; requests; 0: the server's choice
u32 stage_kb ;
u32 event_kb ;
u32 options_size ; bytes of text that follow
u8 driver[32] ;
enum:pipe_data_plane data ; what the client asks for
u8 pad0[7] ;
''', tail_bytes=True)

control('welcome', 'The server accepts. Segment descriptors travel beside.', '''
u64 magic ;
u64 fingerprint[2] ;
u64 stage_size ;
u64 read_size ;
u64 event_size ;
u32 ring_size ;
u32 pid ;
enum:pipe_data_plane data ; SHARED or STREAM
u8 pad0[7] ;
''')

control('refuse', 'The server refuses; both values are named in the text that follows.', '''
enum:pipe_refusal code ;
u32 text_size ;
u64 ours ;
u64 theirs ;
''', tail_bytes=True)

control('caps', 'Capabilities; pipe_caps follows.', '''
u64 size ;
''', tail_bytes=True)

control('segment', 'A segment; its descriptor travels beside.', '''
enum:pipe_segment seg ;
u32 lane ;
u64 size ;
''')

control('screen', 'Opens or closes a share group. The name of its display follows (pipe_screen_config).', '''
u32 screen ;
u32 open ;
enum:pipe_platform platform ;
u8 pad0[7] ;
u64 native_display ; 0 towards another process
''', tail_bytes=True)

control('lane', 'Opens or closes a lane; the descriptor of its ring travels beside.', '''
u32 screen ;
u32 lane ;
u32 open ;
u32 ring_size ;
handle:lane lane_handle ;
u8 attributes[8] ; as lane_create
''')

control('surface', 'A root call on surfaces: create, resize, destroy; its record follows.', '''
u32 screen ;
u32 op ; opcode of the call
u64 serial ;
u32 size ;
u32 pad0 ;
''', tail_bytes=True)

control('reply', 'Answer of a control message.', '''
u64 serial ;
enum:pipe_status status ;
u32 size ;
''', tail_bytes=True)

control('log', 'A log line of the peer.', '''
enum:pipe_log_level level ;
u8 pad0[3] ;
u32 size ;
''', tail_bytes=True)

control('fault', 'The session is latched; the text says why.', '''
enum:pipe_fault fault ;
u32 size ;
''', tail_bytes=True)

control('bye', 'Orderly end.', '''
u64 serial ;
''')

control('auth', 'Before hello where anybody may connect: the token follows. Answered by refuse only.', '''
u64 magic ;
u32 control_version ;
u32 token_size ;
''', tail_bytes=True)

# The stream data plane: both halves have the same segments, and each sends what it wrote before it sends what names it.

control('segment_data', 'Bytes of a mirrored segment; they follow.', '''
u32 seg ; pipe_segment or a segment message's
u32 pad0 ;
u64 offset ;
''', tail_bytes=True)

control('ring_data', 'Records of a ring, which follow, and its head behind them.', '''
u32 owner ; the lane of a command ring, the screen of an event ring
u32 pad0 ;
u64 head ; cursor; the bytes end there
''', tail_bytes=True)

control('ring_taken', 'How far the consumer of a ring is.', '''
u32 owner ;
u32 ended ; it takes nothing more
u64 tail ;
u64 applied ;
u64 reply_ordinal ;
u32 reply_status ;
u32 pad0 ;
''')

control('frame', 'A part of a presented frame; its pixels follow (on_frame).', '''
u32 screen ;
enum:pipe_frame_encoding encoding ;
u8 last ;
u8 slot ; as on_frame
u8 pad0 ;
handle:surface surface ;
u64 serial ;
u32 x ;
u32 y ;
u32 width ;
u32 height ;
u32 frame_width ;
u32 frame_height ;
''', tail_bytes=True)

control('frame_memory', 'Buffers of the client for the frames of a surface; the descriptor of their memory travels beside. Answered by reply.', '''
u32 screen ;
u32 count ; buffers, 0: none any more
handle:surface surface ;
u64 size ; of the memory
u64 offset ; of the first buffer; the memory begins with a word per buffer, 0: free
u64 buffer_size ; bytes from one buffer to the next
u32 width ; pixels of 4 bytes, the top row first, rows without gaps
u32 height ;
u32 swap_red_blue ; 1: the buffers have red and blue the other way round than the surface
u32 pad0 ;
''')

# --------------------------------------------------------------------------------------------------
# Coverage: each GL state group and the record that carries it
# --------------------------------------------------------------------------------------------------

for _group, _record, _doc in (
    ('blend', 'create_render_state', 'chunk blend'),
    ('color_mask', 'create_render_state', 'chunk blend'),
    ('logic_op', 'create_render_state', 'chunk blend'),
    ('blend_color', 'set_dynamic_state', 'chunk blend_color'),
    ('depth', 'create_render_state', 'chunk depth_stencil'),
    ('stencil', 'create_render_state', 'chunk depth_stencil; references by set_dynamic_state'),
    ('raster', 'create_render_state', 'chunk raster'),
    ('polygon', 'create_render_state', 'chunk raster; offsets by set_dynamic_state'),
    ('line_point', 'set_dynamic_state', 'chunk line_point'),
    ('multisample', 'create_render_state', 'chunk multisample; mask by set_sample_state'),
    ('clip_control', 'create_render_state', 'chunk raster'),
    ('restart', 'draw_vbo', 'flags and restart_index'),
    ('viewport', 'set_dynamic_state', 'chunks viewport, viewport_array'),
    ('scissor', 'set_dynamic_state', 'chunks scissor, scissor_array'),
    ('clear_values', 'clear', 'values of the call'),
    ('framebuffer', 'set_framebuffer_state', ''),
    ('framebuffer_binding', 'bind_framebuffers', ''),
    ('vertex_array', 'create_vertex_elements', 'buffers by set_vertex_buffers'),
    ('current_attrib', 'set_vertex_attrib_defaults', ''),
    ('index_buffer', 'set_index_buffer', ''),
    ('program', 'set_draw_program', ''),
    ('pipeline', 'set_draw_program', 'composites'),
    ('uniforms', 'set_global_constants', ''),
    ('program_bindings', 'set_program_bindings', ''),
    ('textures', 'set_sampler_views', ''),
    ('texture_params', 'set_texture_params', ''),
    ('samplers', 'bind_sampler_states', ''),
    ('images', 'set_shader_images', ''),
    ('uniform_buffers', 'set_shader_buffers', ''),
    ('storage_buffers', 'set_shader_buffers', ''),
    ('atomic_buffers', 'set_shader_buffers', ''),
    ('transform_feedback', 'set_stream_output_targets', ''),
    ('pixel_pack', 'set_pixel_pack_state', ''),
    ('patch', 'set_patch_state', ''),
    ('render_condition', 'set_render_condition', ''),
    ('indirect_buffers', 'set_indirect_buffers', ''),
    ('queries', 'query_begin', ''),
):
    coverage(_group, _record, _doc)

# --------------------------------------------------------------------------------------------------
# The shader archive: what crosses of one linked program. C++ structs on both sides, coded into bytes on
# a wire, every count bounded before allocation. GL type values are those of the GL registry.
# --------------------------------------------------------------------------------------------------

archive_struct('pipe_archive_member', 'A variable of a block: a uniform of the default block, a member of a uniform or storage block.', '''
str name ; as GL reports it, with "[0]" for arrays
u32 gl_type ; GL_FLOAT_VEC4 ...
u32 array_size ; declared elements, 1 for non-arrays, 0 for an unsized last member
u32 active_size ; highest used element + 1
u32 block ; index into blocks; 0xffffffff: default block
u32 offset ; bytes
u32 array_stride ; bytes, 0 for non-arrays
u32 matrix_stride ; bytes, 0 for non-matrices
u8 row_major ;
u8 is_array ;
u8 stages ; bit pipe_shader_type: stages that use it
i32 location ; of the default block; -1 otherwise
i32 explicit_location ; layout(location = n), else -1
u32 top_level_array_size ; storage blocks
u32 top_level_array_stride ;
bytes initial ; initial value in std140 image layout of the member, empty: zeros
''')

archive_struct('pipe_archive_block', 'A uniform or storage block (one entry per element of a block array), or an atomic counter buffer.', '''
str name ; "Block" or "Block[2]"
enum:pipe_uniform_type cls ; UNIFORM_BLOCK, STORAGE_BLOCK, ATOMIC_BUFFER
u32 slot ; program-wide slot of the class
i32 binding ; initial binding from the source, -1: none (0 by GL)
u32 size ; bytes
u8 stages ;
u8 written ; stages that write it
u8 readonly ;
''')

archive_struct('pipe_archive_opaque', 'A sampler, image or atomic counter uniform (one entry per array).', '''
str name ; as GL reports it, with "[0]" for arrays
u32 gl_type ; GL_SAMPLER_2D ...
enum:pipe_uniform_type cls ; SAMPLER, IMAGE or ATOMIC_BUFFER
enum:pipe_texture_target target ; what it samples
enum:pipe_value_class value_class ; of what it returns
u8 shadow ; depth comparison
u32 slot ; first program-wide slot
u32 array_size ; slots it takes
u32 active_size ;
u8 is_array ;
u8 stages ;
i32 location ; first location, -1: none (atomic counters)
i32 explicit_location ;
i32 binding ; initial unit from the source, -1: none (0 by GL)
enum:pipe_format format ; images: layout format
enum:pipe_image_access access ; images
u32 block ; atomic counters: index into blocks
u32 offset ; atomic counters: bytes
''')

archive_struct('pipe_archive_io', 'A stage input or output.', '''
str name ;
u32 gl_type ;
u32 array_size ;
u8 is_array ;
i32 location ; -1: built-in
u32 component ;
u32 index ; dual source
u8 patch ;
u8 centroid ;
u8 sample ;
u8 flat ;
u8 noperspective ;
u8 per_vertex ; arrayed interface of tessellation and geometry
i32 builtin ; SpvBuiltIn, -1: none
str block ; interface block it belongs to
u8 explicit_location ;
vec:u32 location_words ; word offsets of Location operands in the stage's SPIR-V, to patch
''')

archive_struct('pipe_archive_xfb', 'One captured varying.', '''
str name ;
u32 gl_type ;
u32 array_size ;
u32 buffer ;
u32 offset ; bytes
u32 stream ;
i32 location ; output location, -1: built-in
u32 component ; first component
u32 components ; 32-bit components, whole array
i32 builtin ; SpvBuiltIn, -1: none
i32 builtin_element ; gl_ClipDistance element, -1: whole
u8 is_double ;
''')

archive_struct('pipe_archive_stage', 'One stage.', '''
enum:pipe_shader_type stage ;
words spirv ; empty: stage absent
vec:pipe_archive_io inputs ;
vec:pipe_archive_io outputs ;
u32 globals_size ; bytes of the default block this stage declares
u8 writes_memory ;
u8 uses_discard ;
u8 uses_derivatives ;
u8 writes_depth ;
u8 early_fragment_tests ;
u8 uses_sample_id ; per-sample shading
u8 uses_frag_coord ;
u8 uses_point_coord ;
u8 origin_upper_left ;
u8 pixel_center_integer ;
u8 uses_vertex_id ;
u8 uses_instance_id ;
u8 uses_draw_id ;
u8 uses_base_vertex ;
u8 uses_base_instance ;
u8 writes_point_size ;
u8 writes_layer ;
u8 writes_viewport_index ;
u8 clip_distances ;
u8 cull_distances ;
u8 uses_fp64 ;
u8 uses_sample_mask ;
''')

archive_struct('pipe_archive_subroutine', 'A subroutine uniform of a stage.', '''
str name ;
enum:pipe_shader_type stage ;
u32 location ;
u32 array_size ;
vec:u32 compatible ; indices of functions
''')

archive_struct('pipe_archive_subroutine_function', 'A subroutine function of a stage.', '''
str name ;
enum:pipe_shader_type stage ;
u32 index ;
''')

archive_struct('pipe_shader_archive', 'Everything of one linked program.', '''
vec:pipe_archive_stage stages ; only those present
u8 stage_mask ; bit pipe_shader_type
u8 separable ;
u32 globals_size ; bytes of the default uniform block, same layout in all stages
u32 num_sampler_slots ;
u32 num_image_slots ;
u32 num_uniform_block_slots ;
u32 num_storage_block_slots ;
u32 num_atomic_buffer_slots ;
vec:pipe_archive_member members ; uniforms of the default block first, then block members
vec:pipe_archive_block blocks ;
vec:pipe_archive_opaque opaques ;
vec:pipe_archive_xfb xfb ;
u32 xfb_stride[4] ; bytes
u8 xfb_separate ; GL_SEPARATE_ATTRIBS
enum:pipe_prim gs_input ;
enum:pipe_prim gs_output ;
u32 gs_max_vertices ;
u32 gs_invocations ;
u32 tcs_vertices ;
enum:pipe_prim tes_mode ; TRIANGLES, QUADS or LINES
u8 tes_spacing ; 0 equal, 1 fractional even, 2 fractional odd
u8 tes_ccw ;
u8 tes_point_mode ;
u32 local_size[3] ;
vec:pipe_archive_subroutine subroutines ;
vec:pipe_archive_subroutine_function subroutine_functions ;
u64 content_hash ;
''')
