# SPDX-License-Identifier: MIT
"""obs-studio: starts with a profile and one scene of three colour sources in its preview; Qt draws the rest."""

import json

from harness.program import Program, write

GLOBAL = '''[General]
FirstRun=true
LastVersion=486539266
EnableAutoUpdates=false
Pre19Defaults=false
Pre21Defaults=false
Pre23Defaults=false
Pre24.1Defaults=false
MaxLogs=2
InfoIncrement=30
ProcessPriority=Normal
[Basic]
Profile=mgpipe
ProfileDir=mgpipe
SceneCollection=mgpipe
SceneCollectionFile=mgpipe
ConfigOnNewProfile=false
[BasicWindow]
ShowStatusBar=false
ShowListboxToolbars=true
PreviewEnabled=true
WarnBeforeStoppingStream=false
'''
PROFILE = '''[General]
Name=mgpipe
[Video]
BaseCX=640
BaseCY=360
OutputCX=640
OutputCY=360
FPSCommon=10
'''


def source(name, color, width, height):
    return {'id': 'color_source', 'versioned_id': 'color_source_v3', 'name': name, 'enabled': True,
            'settings': {'color': color, 'width': width, 'height': height}}


def item(number, name, x, y, angle):
    return {'name': name, 'id': number, 'visible': True, 'locked': True, 'rot': angle, 'pos': {'x': x, 'y': y}, 'scale': {'x': 1.0, 'y': 1.0},
            'align': 5, 'bounds_type': 0, 'bounds': {'x': 0.0, 'y': 0.0}}


def scene():
    items = [item(1, 'red', 60.0, 40.0, 0.0), item(2, 'green', 300.0, 60.0, 20.0), item(3, 'blue', 200.0, 180.0, 0.0)]
    sources = [source('red', 0xff2030e0, 200, 200), source('green', 0xc020c040, 200, 150), source('blue', 0x80e06020, 300, 120),
               {'id': 'scene', 'versioned_id': 'scene', 'name': 'Scene', 'settings': {'id_counter': 3, 'custom_size': False, 'items': items}}]
    return {'name': 'mgpipe', 'current_scene': 'Scene', 'current_program_scene': 'Scene', 'scene_order': [{'name': 'Scene'}], 'sources': sources,
            'current_transition': 'Cut', 'transitions': [], 'quick_transitions': [], 'saved_projectors': []}


class Description(Program):
    PACKAGES = ('obs-studio', 'fonts-dejavu-core')
    API = {'x11': 'EGL'}
    GL = '3.3 core'
    SCREEN = (1100, 760)
    COLORS = 100
    STEADY = 2.0

    def command(self, folder, platform):
        write(folder, '.config/obs-studio/global.ini', GLOBAL)
        write(folder, '.config/obs-studio/basic/profiles/mgpipe/basic.ini', PROFILE)
        write(folder, '.config/obs-studio/basic/scenes/mgpipe.json', json.dumps(scene()))
        return ['obs', '--multi', '--disable-updater', '--disable-missing-files-check']

    def environment(self, platform):
        return {'QT_QPA_PLATFORM': 'xcb'}
