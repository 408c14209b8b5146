import Foundation
import TestSupport

/// A pooler in front of PostgreSQL, which can hide all errors by which one in transaction mode used to show: each client
/// has its prepared statements on every connection.
final class PoolerStandIn: Sendable {
    enum Mode: String {
        case session, transaction
    }

    private let folder: String
    private let server: String
    private let shell: CommandShell

    /// In transaction mode, the clients share this number of connections in turns.
    init(before cluster: PostgresCluster, _ mode: Mode, connections: Int) throws {
        folder = try ScratchFolders.next()
        server = try Self.host(of: cluster.addressOfFirstSchema)
        let arguments = [folder, server, "\(connections)", mode.rawValue, Self.script]
        guard let shell = CommandShell(#"exec python3 -c "$5" "$@""#, arguments), shell.nextLine() != nil
        else { throw Unexpected(what: "the pooler does not start") }
        self.shell = shell
    }

    private static func host(of address: String) throws -> String {
        guard let host = address.firstMatch(of: #/host=([^&]+)/#)?.1 else {
            throw Unexpected(what: "no host in \(address)")
        }
        return String(host)
    }

    /// An address of the cluster, through the pooler.
    func address(for address: String) -> String {
        address.replacing("host=\(server)", with: "host=\(folder)")
    }

    /// Changes the mode, and disconnects all clients, as a restart does.
    func restart(in mode: Mode) { _ = shell.answer(to: mode.rawValue) }

    func end() { shell.end() }

    private static let script = #"""
        import os, socket, struct, sys, threading
        folder, target, size, mode = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
        state = threading.Condition()
        clients, free, made = set(), [], 0

        def exactly(link, count):
            data = b""
            while len(data) < count:
                more = link.recv(count - len(data))
                if not more: raise EOFError
                data += more
            return data

        def message(link):
            head = exactly(link, 5)
            return head[:1], exactly(link, struct.unpack(">I", head[1:])[0] - 4)

        def packed(kind, body): return kind + struct.pack(">I", len(body) + 4) + body

        class Backend:
            def __init__(self, start):
                self.link = socket.socket(socket.AF_UNIX)
                self.link.connect(target + "/.s.PGSQL.5432")
                self.link.sendall(struct.pack(">I", len(start) + 4) + start)
                self.welcome, self.known = [], set()
                while True:
                    kind, body = message(self.link)
                    if kind == b"S": self.welcome.append(packed(kind, body))
                    if kind == b"E": raise EOFError
                    if kind == b"Z": break

            def prepare(self, statements):
                for name, body in statements.items():
                    if name in self.known: continue
                    self.link.sendall(packed(b"P", body) + packed(b"S", b""))
                    while message(self.link)[0] != b"Z": pass
                    self.known.add(name)

        def take(start):
            global made
            with state:
                while True:
                    # The one that was used longest ago.
                    if free: return free.pop(0)
                    if mode == "session" or made < size: break
                    state.wait()
                made += 1
            return Backend(start)

        def release(backend):
            global made
            with state:
                if mode == "transaction": free.append(backend)
                else:
                    made -= 1
                    backend.link.close()
                state.notify_all()

        def renamed(number, kind, body):
            own = b"c%d_" % number
            if kind == b"P" and body[:1] != b"\0": return own + body
            if kind == b"B":
                portal, rest = body.split(b"\0", 1)
                return portal + b"\0" + (own + rest if rest[:1] != b"\0" else rest)
            if kind in b"DC" and body[:1] == b"S" and body[1:2] != b"\0": return b"S" + own + body[1:]
            return body

        def answers(client, held, statements):
            # Passes the answers of one transaction on, and returns at its end.
            while True:
                kind, body = message(held.link)
                client.sendall(packed(kind, body))
                if kind == b"Z":
                    held.open -= 1
                    if held.open == 0: return body == b"I"

        def serve(client, number):
            held, statements = None, {}
            try:
                start = exactly(client, struct.unpack(">I", exactly(client, 4))[0] - 4)
                # A request to cancel.
                if start[:4] == struct.pack(">I", 80877102): return
                held = take(start)
                greeting = packed(b"R", struct.pack(">I", 0)) + b"".join(held.welcome)
                client.sendall(greeting + packed(b"K", struct.pack(">II", number, 7)) + packed(b"Z", b"I"))
                session = mode == "session"
                if not session:
                    release(held)
                    held = None
                else: threading.Thread(target=copy, args=(held.link, client), daemon=True).start()
                while True:
                    kind, body = message(client)
                    if kind == b"X": return
                    if session:
                        held.link.sendall(packed(kind, body))
                        continue
                    if held is None:
                        held = take(start)
                        held.open = 0
                        held.prepare(statements)
                    body = renamed(number, kind, body)
                    if kind == b"P":
                        name = body.split(b"\0", 1)[0]
                        statements[name] = body
                        held.known.add(name)
                    held.link.sendall(packed(kind, body))
                    if kind in b"QS":
                        held.open += 1
                        client.settimeout(0.002)
                        try:
                            # A pipeline has several of them.
                            more = client.recv(1, socket.MSG_PEEK)
                        except socket.timeout: more = b""
                        client.settimeout(None)
                        if not more and answers(client, held, statements):
                            release(held)
                            held = None
            except (EOFError, OSError): pass
            finally:
                client.close()
                with state: clients.discard(client)
                if held is not None:
                    held.link.close()
                    with state:
                        globals()["made"] -= 1
                        state.notify_all()

        def copy(source, goal):
            try:
                while True:
                    data = source.recv(65536)
                    if not data: break
                    goal.sendall(data)
            except OSError: pass
            try: goal.shutdown(socket.SHUT_RDWR)
            except OSError: pass

        def accept(listener):
            number = 1
            while True:
                client, _ = listener.accept()
                with state: clients.add(client)
                threading.Thread(target=serve, args=(client, number), daemon=True).start()
                number += 1

        listener = socket.socket(socket.AF_UNIX)
        listener.bind(folder + "/.s.PGSQL.5432")
        listener.listen(64)
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        print("ready", flush=True)
        for line in sys.stdin:
            with state:
                mode = line.strip()
                for client in clients: client.shutdown(socket.SHUT_RDWR)
            print("ready", flush=True)
        """#
}
