"""Reads requests with h11. Each line of the input is a request in hexadecimal digits.

The output has a line for each: `refused`, or the method, the target, the version, the fields and the body.
"""
import sys

import h11


def reading(request):
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 16)
    connection.receive_data(request)
    head, body = None, b""
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                return "refused"
            if isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
    except h11.RemoteProtocolError:
        return "refused"
    fields = [f"{name.decode()}={value.hex()}" for name, value in head.headers]
    words = [head.method, head.target, head.http_version]
    return " ".join([word.decode("latin-1") for word in words] + fields + [f"body={body.hex()}"])


for line in sys.stdin:
    print(reading(bytes.fromhex(line)))
