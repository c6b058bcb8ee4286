# SPDX-License-Identifier: MIT
"""What a window manager would do to a program's window, on a display of our own without one: find, resize, close."""

import ctypes
import ctypes.util

CLIENT_MESSAGE, IS_VIEWABLE = 33, 2


class Attributes(ctypes.Structure):
    """XWindowAttributes of Xlib.h."""
    _fields_ = [(n, ctypes.c_int) for n in ('x', 'y', 'width', 'height', 'border_width', 'depth')] + \
        [('visual', ctypes.c_void_p), ('root', ctypes.c_ulong)] + \
        [(n, ctypes.c_int) for n in ('window_class', 'bit_gravity', 'win_gravity', 'backing_store')] + \
        [(n, ctypes.c_ulong) for n in ('backing_planes', 'backing_pixel')] + [('save_under', ctypes.c_int)] + \
        [('colormap', ctypes.c_ulong)] + [(n, ctypes.c_int) for n in ('map_installed', 'map_state')] + \
        [(n, ctypes.c_long) for n in ('all_events', 'own_events', 'no_propagate')] + \
        [('override_redirect', ctypes.c_int), ('screen', ctypes.c_void_p)]


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, as large as any XEvent."""
    _fields_ = [('type', ctypes.c_int), ('serial', ctypes.c_ulong), ('send_event', ctypes.c_int), ('display', ctypes.c_void_p),
                ('window', ctypes.c_ulong), ('message_type', ctypes.c_ulong), ('format', ctypes.c_int), ('data', ctypes.c_long * 5),
                ('padding', ctypes.c_long * 14)]


HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
IGNORE = HANDLER(lambda display, error: 0)  # a window may go at any moment


class Client:
    """One connection. Not for several threads."""

    def __init__(self, display):
        x = self.x = ctypes.CDLL(ctypes.util.find_library('X11') or 'libX11.so.6')
        for name in ('XOpenDisplay', 'XDefaultRootWindow', 'XInternAtom'):
            getattr(x, name).restype = ctypes.c_void_p if name == 'XOpenDisplay' else ctypes.c_ulong
        x.XSetErrorHandler(IGNORE)
        self.display = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
        if not self.display:
            raise OSError(f'no connection to {display}')
        self.root = ctypes.c_ulong(x.XDefaultRootWindow(self.display))
        # Some programs only look them up, since a window manager has always made them.
        self.protocols, self.delete_window = (x.XInternAtom(self.display, n, 0) for n in (b'WM_PROTOCOLS', b'WM_DELETE_WINDOW'))

    def disconnect(self):
        self.x.XCloseDisplay(self.display)

    def windows(self):
        """(size, id) of the viewable top windows, the largest first."""
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x.XQueryTree(self.display, self.root, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))
        found = []
        for i in range(count.value):
            a = Attributes()
            if self.x.XGetWindowAttributes(self.display, ctypes.c_ulong(children[i]), ctypes.byref(a)) and a.map_state == IS_VIEWABLE:
                found.append(((a.width, a.height), children[i]))
        if children:
            self.x.XFree(children)
        return sorted(found, key=lambda w: -w[0][0] * w[0][1])

    def resize(self, window, width, height):
        self.x.XResizeWindow(self.display, ctypes.c_ulong(window), width, height)
        self.x.XSync(self.display, 0)

    def move(self, window, x, y):
        self.x.XMoveWindow(self.display, ctypes.c_ulong(window), x, y)
        self.x.XSync(self.display, 0)

    def park_pointer(self, x, y):
        """Where no program notices it."""
        self.x.XWarpPointer(self.display, ctypes.c_ulong(0), self.root, 0, 0, 0, 0, x, y)
        self.x.XSync(self.display, 0)

    def ask_to_close(self, window):
        event = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=self.protocols, format=32)
        event.data[0] = self.delete_window
        self.x.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x.XSync(self.display, 0)
