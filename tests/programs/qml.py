# SPDX-License-Identifier: MIT
"""Qt 6 Quick: an animation of two seconds, text, gradients, clipping and opacity in the scene graph, then it rests."""

from harness.program import Program, write

SCENE = '''import QtQuick
import QtQuick.Window

Window {
    width: 640; height: 480; visible: true; color: "#203040"
    Repeater {
        model: 24
        Rectangle {
            id: tile
            width: 90; height: 70; radius: 12
            x: 20 + (index % 6) * 100; y: 40 + Math.floor(index / 6) * 100
            opacity: 0.5 + index / 48; border.width: 3; border.color: "white"
            gradient: Gradient {
                GradientStop { position: 0; color: Qt.hsla(index / 24, 0.8, 0.6, 1) }
                GradientStop { position: 1; color: Qt.hsla(index / 24, 0.8, 0.2, 1) }
            }
            Text { anchors.centerIn: parent; text: "tile " + index; color: "white"; font.family: "DejaVu Sans"; font.pixelSize: 16 }
            NumberAnimation on rotation {
                from: 0; to: 15 + 360; duration: 2000; easing.type: Easing.InOutQuad
                onFinished: mark.color = "#00ff00"
            }
        }
    }
    Rectangle { id: mark; width: 20; height: 20 }
    Item {
        anchors.fill: parent; anchors.margins: 150; clip: true
        Rectangle { width: 900; height: 60; color: "#80ff8000"; rotation: 30; anchors.centerIn: parent }
    }
}
'''


class Description(Program):
    PACKAGES = ('qml-qt6', 'qml6-module-qtquick', 'qml6-module-qtquick-window', 'qml6-module-qtqml-workerscript', 'qt6-wayland',
                'fonts-dejavu-core')
    API = {'x11': 'EGL', 'wayland': 'EGL'}
    GL = '2.0, no profile'
    COLORS = 500
    RESIZE = (500, 400)

    def command(self, folder, platform):
        return ['/usr/lib/qt6/bin/qml', write(folder, 'scene.qml', SCENE)]

    def environment(self, platform):
        return {'QT_QPA_PLATFORM': 'xcb' if platform == 'x11' else 'wayland', 'QT_XCB_GL_INTEGRATION': 'xcb_egl', 'QSG_RHI_BACKEND': 'opengl',
                'QT_WAYLAND_DISABLE_WINDOWDECORATION': '1', 'MGPIPE_GL_PROFILE': 'core'}

    def is_ready(self, picture):
        return super().is_ready(picture) and tuple(picture[10, 10]) == (0, 255, 0)
