"""Connects to a server with TLS by Python's ssl: ssl-peer.py PORT CERTIFICATE."""

import json
import socket
import ssl
import sys

port, certificate = int(sys.argv[1]), sys.argv[2]
HELLO = {"type": "hello", "protocol": 1, "client": "python-client"}


def context(*protocols):
    made = ssl.create_default_context(cafile=certificate)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


def connected():
    plain = socket.create_connection(("127.0.0.1", port))
    plain.settimeout(30)
    return plain


def line(received):
    text = received.readline()
    assert text.endswith(b"\n"), text
    return json.loads(text)


def send(sender, message):
    sender.sendall(json.dumps(message).encode() + b"\n")


def check_lines():
    """The handshake, lines in both directions, and a close with close_notify."""
    with context("caret/1").wrap_socket(connected(), server_hostname="localhost") as client:
        assert client.selected_alpn_protocol() == "caret/1"
        received = client.makefile("rb")
        send(client, HELLO)
        assert line(received)["type"] == "welcome"
        send(client, {"type": "ping", "id": 1})
        assert line(received) == {"type": "pong", "id": 1}
        client.unwrap()


def check_pieces():
    """Every byte of the handshake and of a line arrives alone."""
    arrived, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context().wrap_bio(arrived, leaving, server_hostname="localhost")
    plain = connected()
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def until_done(call):
        while True:
            try:
                result = call()
                wants = False
            except ssl.SSLWantReadError:
                wants = True
            for byte in leaving.read():
                plain.sendall(bytes([byte]))
            if not wants:
                return result
            arrived.write(plain.recv(65536))

    until_done(client.do_handshake)
    until_done(lambda: client.write(json.dumps(HELLO).encode() + b"\n"))
    assert b'"welcome"' in until_done(lambda: client.read(65536))


def check_web():
    """HTTPS, and the upgrade to a WebSocket."""
    for request, status in [
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"200"),
        (
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            b"101",
        ),
    ]:
        with context("http/1.1").wrap_socket(connected(), server_hostname="localhost") as client:
            assert client.selected_alpn_protocol() == "http/1.1"
            client.sendall(request)
            answer = client.makefile("rb").readline()
            assert answer.split()[1] == status, answer


def check_protocols():
    """Other protocols only: the server refuses the handshake."""
    try:
        context("h2").wrap_socket(connected(), server_hostname="localhost")
    except ssl.SSLError as error:
        assert "no application protocol" in str(error).lower().replace("_", " "), error
    else:
        raise AssertionError("h2 was accepted")


for check in [check_lines, check_pieces, check_web, check_protocols]:
    check()
