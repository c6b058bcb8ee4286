# SPDX-License-Identifier: MIT
"""godot3: a small project with a lit scene, shadows and a sky in the GLES3 renderer, which asks for a 3.3 core context."""

from harness.program import Program, write

PROJECT = '''config_version=4

[application]
config/name="mgpipe"
run/main_scene="res://main.tscn"

[display]
window/size/width=640
window/size/height=480
window/vsync/use_vsync=false

[rendering]
quality/driver/driver_name="GLES3"
quality/filters/msaa=0

[locale]
locale/test="en"
'''
SCENE = '''[gd_scene load_steps=8 format=2]

[sub_resource type="ProceduralSky" id=1]

[sub_resource type="Environment" id=2]
background_mode = 2
background_sky = SubResource( 1 )
tonemap_mode = 2

[sub_resource type="SpatialMaterial" id=3]
albedo_color = Color( 0.9, 0.3, 0.2, 1 )
metallic = 0.4
roughness = 0.3

[sub_resource type="SphereMesh" id=4]
material = SubResource( 3 )

[sub_resource type="SpatialMaterial" id=5]
albedo_color = Color( 0.3, 0.6, 0.3, 1 )

[sub_resource type="PlaneMesh" id=6]
material = SubResource( 5 )
size = Vector2( 12, 12 )

[sub_resource type="CubeMesh" id=7]
material = SubResource( 3 )

[node name="Root" type="Spatial"]

[node name="World" type="WorldEnvironment" parent="."]
environment = SubResource( 2 )

[node name="Camera" type="Camera" parent="."]
transform = Transform( 1, 0, 0, 0, 0.906, 0.423, 0, -0.423, 0.906, 0, 3, 6 )

[node name="Sun" type="DirectionalLight" parent="."]
transform = Transform( 0.707, -0.5, 0.5, 0, 0.707, 0.707, -0.707, -0.5, 0.5, 0, 5, 0 )
shadow_enabled = true

[node name="Sphere" type="MeshInstance" parent="."]
transform = Transform( 1, 0, 0, 0, 1, 0, 0, 0, 1, -1.5, 1, 0 )
mesh = SubResource( 4 )

[node name="Cube" type="MeshInstance" parent="."]
transform = Transform( 0.6, 0, 0.4, 0, 0.7, 0, -0.4, 0, 0.6, 1.5, 0.7, 0 )
mesh = SubResource( 7 )

[node name="Floor" type="MeshInstance" parent="."]
mesh = SubResource( 6 )

[node name="Label" type="Label" parent="."]
margin_left = 20.0
margin_top = 20.0
text = "Godot 3 on MGPipe"
'''


class Description(Program):
    PACKAGES = ('godot3',)
    API = {'x11': 'GLX'}
    GL = '3.3 core'
    COLORS = 300
    RESIZE = (500, 400)

    def command(self, folder, platform):
        write(folder, 'project/main.tscn', SCENE)
        return ['godot3', '--path', write(folder, 'project/project.godot', PROJECT).rsplit('/', 1)[0], '--video-driver', 'GLES3',
                '--audio-driver', 'Dummy', '--resolution', '640x480', '--position', '0,0', '--disable-crash-handler']
