# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which OpenCL devices are graphics processors, as their drivers say.

PoCL's device is a processor, and its driver says so. See the OpenCL 1.2 specification, sections 4.1
and 4.2. The engine numbers devices over all platforms and leaves out those that cannot compile
kernels (engine/devices/opencl/src/platform.rs); so does this module.
"""

from __future__ import annotations

import ctypes
from functools import cache

LIBRARY = "libOpenCL.so.1"
_ALL, _GPU = 0xFFFFFFFF, 1 << 2
_TYPE, _AVAILABLE, _COMPILER = 0x1000, 0x1027, 0x1028


@cache
def graphics_processors() -> tuple[bool, ...]:
    """Return for each OpenCL device, by its number, whether it is a graphics processor.

    Empty where there is no OpenCL.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return ()
    found = []
    for platform in _handles(library.clGetPlatformIDs):
        of_platform = (ctypes.c_void_p(platform), ctypes.c_ulong(_ALL))
        for device in _handles(library.clGetDeviceIDs, *of_platform):
            usable = all(_number(library, device, name, 4) for name in (_AVAILABLE, _COMPILER))
            if usable:
                found.append(bool(_number(library, device, _TYPE, 8) & _GPU))
    return tuple(found)


def _handles(function: ctypes._NamedFuncPointer, *begin: object) -> list[int]:
    """Platforms or devices that a function lists; none where it fails."""
    count = ctypes.c_uint()
    if function(*begin, 0, None, ctypes.byref(count)) != 0:
        return []
    handles = (ctypes.c_void_p * count.value)()
    if function(*begin, count, handles, None) != 0:
        return []
    return [one for one in handles if one]


def _number(library: ctypes.CDLL, device: int, name: int, length: int) -> int:
    """A property of a device as a number; 0 where the driver does not say."""
    value = ctypes.c_ulong()
    place = (ctypes.c_size_t(length), ctypes.byref(value), None)
    failed = library.clGetDeviceInfo(ctypes.c_void_p(device), ctypes.c_uint(name), *place)
    return 0 if failed else value.value
