#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A network cable with a delay and losses: two network interfaces, of which each receives what the other sends.

usage: link.py DELAY LOSS FIRST SECOND

Creates the interfaces FIRST and SECOND (TAP devices), prints "ready", and carries frames. Each frame
arrives after DELAY milliseconds, or never, with probability LOSS. For `tests/two-hosts`: the kernel's own `tc netem` is not
in every kernel. At SIGTERM it prints how many bytes and frames
arrived and how many frames were lost, and ends.
"""
import atexit
import collections
import contextlib
import fcntl
import os
import random
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
FRAME_BYTES = 65536


def interface(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def main():
    delay, loss = float(sys.argv[1]) / 1000, float(sys.argv[2])
    ends = [interface(name) for name in sys.argv[3:5]]
    random.seed(1)
    on_the_way = collections.deque()  # (time of arrival, end, frame), in the order of time
    carried = collections.Counter(bytes=0, frames=0, lost=0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    atexit.register(lambda: print(*carried.values()))
    print("ready", flush=True)
    while True:
        wait = max(0.0, on_the_way[0][0] - time.monotonic()) if on_the_way else None
        for end in select.select(ends, [], [], wait)[0]:
            frame = os.read(end, FRAME_BYTES)
            if random.random() < loss:
                carried["lost"] += 1
            else:
                on_the_way.append((time.monotonic() + delay, ends[1 - ends.index(end)], frame))
        while on_the_way and on_the_way[0][0] <= time.monotonic():
            _, end, frame = on_the_way.popleft()
            with contextlib.suppress(OSError):  # an interface that is down receives nothing
                os.write(end, frame)
                carried.update(bytes=len(frame), frames=1)


main()
