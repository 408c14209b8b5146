# A user of the tutorial's client who types by themselves: python3 typist.py PORT DOCUMENT FIRST COUNT SEED
#
# Types COUNT letters, each another one, from FIRST on, and removes some of the dots that the text begins with. Prints
# how many letters are typed, after each thirty, and 'acked' once all of them are saved. Obeys orders, one a line, until
# its input ends:
#   port N    the server is there now, and the connection breaks
#   cut       the connection breaks
#   whole     the connection breaks, and the next one asks for the whole text
#   until N   waits for revision N, and prints the text as JSON
import asyncio, json, os, random, sys, traceback
from caret_client import Client


class Typist(Client):
    def __init__(self, *where):
        super().__init__(*where)
        self.heard = asyncio.Event()

    def hear(self, m):
        super().hear(m)
        self.heard.set()

    async def until(self, condition):
        while not condition():
            self.heard.clear()
            await self.heard.wait()


async def type_letters(client, first, count, chance):
    await client.until(lambda: client.is_open)
    for number in range(count):
        start = chance.randint(0, len(client.draft.text()))
        client.edit(start, start, chr(ord(first) + number))
        dot = client.draft.text().find(".")
        # All typists remove the same dots, so many removals come to nothing.
        if dot >= 0 and chance.random() < 0.5:
            client.edit(dot, dot + 1, "")
        if number % 30 == 29:
            print(number + 1, flush=True)
        # A person pauses between letters, and the server is killed in the middle of them.
        await asyncio.sleep(chance.random() * 0.02)
    await client.until(lambda: not client.draft.mine)
    print("acked", flush=True)


async def obey(client):
    while order := await asyncio.to_thread(sys.stdin.readline):
        word, *numbers = order.split()
        if word == "until":
            await client.until(lambda: client.rev >= int(numbers[0]))
            print(json.dumps(client.draft.text()), flush=True)
            continue
        if word == "port":
            client.address = (client.address[0], int(numbers[0]))
        if word == "whole":
            # Not None: the client may still get an answer to its last `open`, and push with this epoch then.
            client.epoch = "unknown"
        client.is_open = False
        client.writer.transport.abort()


async def main(port, doc, first, count, seed):
    client = Typist("127.0.0.1", int(port), doc)
    typing = type_letters(client, first, int(count), random.Random(int(seed)))
    network, user = asyncio.create_task(client.run()), asyncio.gather(typing, obey(client))
    await asyncio.wait([network, user], return_when=asyncio.FIRST_COMPLETED)
    try:
        (network if network.done() else user).result()
    except Exception:
        traceback.print_exc()
        # An ordinary exit would wait for the thread that reads the next order.
        os._exit(1)


asyncio.run(main(*sys.argv[1:]))
