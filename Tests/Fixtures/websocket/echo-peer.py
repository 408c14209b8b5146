"""A client of Tests/WebSocketEcho that uses the library `websockets`. Its argument is the address of the program.

It sends text and binary messages of many sizes, whole and in fragments, and checks what comes back. It prints what
differs, and its status is 1 in that case.
"""
import asyncio
import sys

import websockets


async def talk(address):
    async with websockets.connect(address, max_size=None) as socket:
        for size in [0, 1, 125, 126, 65535, 65536, 1 << 20]:
            for message in ["é" * (size // 2) + "x" * (size % 2), bytes(index % 251 for index in range(size))]:
                await socket.send(message)
                if await socket.recv() != message:
                    sys.exit(f"a message of {size} bytes came back changed")
        await socket.send(["Grü", "ße\n", "😀"])
        if await socket.recv() != "Grüße\n😀":
            sys.exit("a message in fragments came back changed")
        await (await socket.ping(b"are you there"))
    if socket.close_code != 1000:
        sys.exit(f"the code of the answer: {socket.close_code}")


asyncio.run(asyncio.wait_for(talk(sys.argv[1]), 60))
