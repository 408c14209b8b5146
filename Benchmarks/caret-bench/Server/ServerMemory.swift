import CaretCore
import CaretLog
import CaretStore
import TestSupport

/// The server's memory for idle connections, and for open documents that nobody writes to.
struct ServerMemory {
    let servers: BenchServers

    static let idle = "idle connections"
    static let open = "open documents"
    private static let count = 2_000
    /// How many documents one connection opens. `caretd` allows a connection to open more.
    private static let atOne = 250

    /// Runs the cases that are wanted: one of them or both.
    func run(_ isWanted: (String) -> Bool) async {
        var table = Table(["", "count", "before", "after", "each"])
        var goals: [Goal] = []
        if isWanted(ServerMemory.idle) {
            let memory = idle()
            table.row(cells(ServerMemory.idle, memory))
            goals.append(goal("1,000 idle connections", most: 2e6, memory))
        }
        if isWanted(ServerMemory.open) {
            let memory = await open()
            table.row(cells(ServerMemory.open, memory))
            goals.append(goal("1,000 open documents of 10 KB", most: 20e6, memory))
        }
        if goals.isEmpty { return }
        table.print(
            under: """
                Resident memory of caretd with connections that have only said hello, and with open documents of 10 KB that no client
                writes to, \(ServerMemory.atOne) for each connection. Before: some such connections or documents are already open.
                """)
        Goal.print(goals)
    }

    private func idle() -> (before: Double, after: Double) {
        let server = servers.caretd(data: servers.folder("idle"))
        defer { server.end() }
        return ServerMemory.idle(ServerMemory.count, over: .lines, server)
    }

    /// The server's memory before and after this number of clients have said hello. A few other clients
    /// connect earlier, so that memory that is allocated only for the first clients is not counted.
    static func idle(
        _ count: Int, over transport: Transport, _ server: ServerProcess
    ) -> (before: Double, after: Double) {
        func connected(_ name: String, _ count: Int) -> [ClientChannel] {
            (0..<count).map { number in
                let channel = ClientChannel(to: server.port, over: transport)
                channel.open(as: "bench-\(name)-\(number)")
                return channel
            }
        }
        let first = connected("first", 200)
        let before = server.resident
        let others = connected("other", count)
        return withExtendedLifetime((first, others)) { (before, server.resident) }
    }

    private func open() async -> (before: Double, after: Double) {
        let data = servers.folder("open")
        await make(ServerMemory.atOne + ServerMemory.count, in: data)
        let server = servers.caretd(data: data)
        defer { server.end() }
        let first = opened(0..<ServerMemory.atOne, server)
        let before = server.resident
        let others = opened(ServerMemory.atOne..<ServerMemory.atOne + ServerMemory.count, server)
        return withExtendedLifetime((first, others)) { (before, server.resident) }
    }

    private func opened(_ documents: Range<Int>, _ server: ServerProcess) -> [PlainClient] {
        stride(from: documents.lowerBound, to: documents.upperBound, by: ServerMemory.atOne).map { first in
            let client = PlainClient("bench-opener-\(first)", port: server.port)
            for document in first..<first + ServerMemory.atOne { _ = client.open(Crowd.name(of: document)) }
            return client
        }
    }

    /// Makes documents of one revision, without a server.
    private func make(_ count: Int, in folder: String) async {
        let store = SQLiteStore.opened(folder)
        let entries = await store.createDocuments(count) { Crowd.name(of: $0) }
        let edit = mustSucceed { try LoggedEdit(start: .zero, removed: .zero, text: MeasuredServer.text) }
        let change = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1_790_000_000_000, edits: [edit])
        let appends = entries.map {
            Append(
                document: $0.id, epoch: $0.epoch, expected: 0,
                changes: [PushedChange(change, digest: SampleLog.digest(1))])
        }
        let outcomes = await store.append(appends)
        precondition(
            outcomes.allSatisfy { $0 == .committed(head: 1) }, "the store refused the text of a benchmark")
        await store.close()
    }

    private func cells(_ name: String, _ memory: (before: Double, after: Double)) -> [String] {
        let each = (memory.after - memory.before) / Double(ServerMemory.count)
        return [
            name, String(ServerMemory.count), memory.before.megabytes, memory.after.megabytes,
            each.digits(0) + " B",
        ]
    }

    private func goal(_ name: String, most: Double, _ memory: (before: Double, after: Double)) -> Goal {
        let thousand = (memory.after - memory.before) / Double(ServerMemory.count) * 1_000
        return Goal(name, .atMost(most), thousand) { $0.megabytes }
    }
}
