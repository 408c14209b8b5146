"""A client of Caret that uses the library `websockets`. Its argument is the port of a server.

It says hello, pushes a text, sends a ping frame, and closes the WebSocket. It prints what differs from the
protocol, and its status is 1 in that case.
"""
import asyncio
import json
import sys

import websockets


def check(name, value, expected):
    if value != expected:
        sys.exit(f"{name}: expected {expected!r}, received {value!r}")


async def ask(socket, message, answer_type):
    await socket.send(json.dumps(message, ensure_ascii=False, indent=1))
    answer = json.loads(await socket.recv())
    check("the answer", answer["type"], answer_type)
    return answer


async def talk(port):
    async with websockets.connect(f"ws://127.0.0.1:{port}/ws", subprotocols=["caret.1"]) as socket:
        check("the subprotocol", socket.subprotocol, "caret.1")
        check("the extensions", socket.extensions, [])
        hello = {"type": "hello", "protocol": 1, "client": "websockets-peer"}
        check("the unit", (await ask(socket, hello, "welcome"))["unit"], "utf-16")
        document = {"doc": "websockets-peer"}
        opened = await ask(socket, {"type": "open", **document, "create": True}, "opened")
        check("the new text", opened["text"], "")
        push = {"type": "push", **document, "epoch": opened["epoch"], "base": 0, "seq": 1, "text": "Grüße 😀\n"}
        ack = await ask(socket, push, "ack")
        check("the revision", ack["rev"], 1)
        # The library compares the content of the pong with the content of the ping.
        await (await socket.ping(b"are you there"))
        read = await ask(socket, {"type": "read", **document}, "text")
        check("the text", read["text"], push["text"])
        await socket.close(1000, "done")
        check("the code of the answer", socket.close_code, 1000)


asyncio.run(asyncio.wait_for(talk(sys.argv[1]), 60))
