import CaretCore
import CaretLog
import CaretStore
import TestSupport

/// The cost of a start, of opening and of pushes while the number of documents grows.
enum DocumentsGrowth {
    static let growth = Growth(
        "documents", in: "documents of 1 KB", [1, 10, 100, 1_000, 10_000, 100_000],
        ["start", "first open", "push, one open", "push, all open", "list of 100"],
        about: """
            start: until the process is ready. First open: of a document that nobody has open. Push, one open: a letter in
            the same document each time. Push, all open: clients have all documents open, and each push goes to a random one.
            """)

    private static let bytes = 1_000
    /// How many documents one connection opens. `caretd` allows a connection to open more.
    private static let atOne = 250

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let data = run.servers.folder("documents")
        await make(size, in: data)
        let starts = (0..<3).map { _ in
            let server = run.caretd(data: data)
            defer { server.end() }
            return server.nanoseconds
        }
        let server = run.caretd(data: data)
        defer { server.end() }
        let firsts = firstOpens(size, server)
        let client = PlainClient("bench-lister", port: server.port)
        let lists = run.cost(server) { client.list() }
        let writer = LetterWriter(
            PlainClient("bench-writer", port: server.port), Crowd.name(of: 0), length: bytes)
        let one = run.cost(server) { writer.push() }
        let writers = opened(size, server.port)
        var random = Seeded(13)
        let all = run.cost(server) { writers[random.number(0...size - 1)].push() }
        return [starts.median, firsts.median, one, all, lists]
    }

    /// The costs of opening documents that nobody has open.
    private static func firstOpens(_ size: Int, _ server: ServerProcess) -> [Double] {
        let client = PlainClient("bench-opener", port: server.port)
        return (0..<min(size, 50)).map { number in
            let name = Crowd.name(of: number * max(1, size / 50))
            let before = server.nanoseconds
            _ = client.open(name)
            return server.nanoseconds - before
        }
    }

    private static func opened(_ count: Int, _ port: UInt16) -> [LetterWriter] {
        stride(from: 0, to: count, by: atOne).flatMap { first in
            let client = PlainClient("bench-writer-\(first)", port: port)
            return (first..<min(count, first + atOne)).map {
                LetterWriter(client, Crowd.name(of: $0), length: bytes)
            }
        }
    }

    /// Makes documents of one revision, without a server.
    private static func make(_ count: Int, in folder: String) async {
        let store = SQLiteStore.opened(folder)
        var random = Seeded(17)
        let text = SampleText.lines(bytes: bytes, &random)
        let edit = mustSucceed { try LoggedEdit(start: .zero, removed: .zero, text: text) }
        let change = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1_790_000_000_000, edits: [edit])
        for first in stride(from: 0, to: count, by: 10_000) {
            let part = min(count - first, 10_000)
            let entries = await store.createDocuments(part) { Crowd.name(of: first + $0) }
            let outcomes = await store.append(
                entries.map {
                    Append(
                        document: $0.id, epoch: $0.epoch, expected: 0,
                        changes: [PushedChange(change, digest: SampleLog.digest(1))])
                })
            precondition(
                outcomes.allSatisfy { $0 == .committed(head: 1) }, "the store refused a benchmark's text")
        }
        await store.close()
    }
}
