"""A client of Caret that uses the library `wsproto`. Its argument is the port of a server.

It says hello, pushes a text, sends a ping frame, and closes the WebSocket. It prints what differs from the
protocol, and its status is 1 in that case.
"""
import json
import socket
import sys

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Pong, Request, TextMessage


def check(name, value, expected):
    if value != expected:
        sys.exit(f"{name}: expected {expected!r}, received {value!r}")


class Peer:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.connection = WSConnection(ConnectionType.CLIENT)
        self.events = []
        self.send(Request(host=f"127.0.0.1:{port}", target="/ws", subprotocols=["caret.1"]))
        check("the subprotocol", self.receive(AcceptConnection).subprotocol, "caret.1")

    def send(self, event):
        self.socket.sendall(self.connection.send(event))

    def receive(self, kind):
        while not self.events:
            # The library reads an empty input as the end of the connection.
            self.connection.receive_data(self.socket.recv(65536) or None)
            self.events += self.connection.events()
        event = self.events.pop(0)
        check("the event", type(event), kind)
        return event

    def ask(self, message, answer_type):
        self.send(TextMessage(data=json.dumps(message, ensure_ascii=False)))
        text = ""
        while True:
            part = self.receive(TextMessage)
            text += part.data
            if part.message_finished:
                break
        answer = json.loads(text)
        check("the answer", answer["type"], answer_type)
        return answer


peer = Peer(int(sys.argv[1]))
peer.ask({"type": "hello", "protocol": 1, "client": "wsproto-peer"}, "welcome")
document = {"doc": "wsproto-peer"}
opened = peer.ask({"type": "open", **document, "create": True}, "opened")
check("the new text", opened["text"], "")
push = {"type": "push", **document, "epoch": opened["epoch"], "base": 0, "seq": 1, "text": "Grüße 😀\n"}
check("the revision", peer.ask(push, "ack")["rev"], 1)
peer.send(Ping(payload=b"are you there"))
check("the content of the pong", bytes(peer.receive(Pong).payload), b"are you there")
check("the text", peer.ask({"type": "read", **document}, "text")["text"], push["text"])
peer.send(CloseConnection(code=1000, reason="done"))
check("the code of the answer", peer.receive(CloseConnection).code, 1000)
check("the end", peer.socket.recv(1), b"")
