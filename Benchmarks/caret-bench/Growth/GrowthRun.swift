import CaretCore
import CaretLog
import CaretStore
import Glibc
import TestSupport

/// The servers of a growth, and how long each point is measured.
final class GrowthRun {
    let servers: BenchServers
    let isQuick: Bool
    /// The folders of the histories, by their numbers of revisions. Some points use the same one.
    private var histories: [Int: String] = [:]

    init(servers: BenchServers, isQuick: Bool) {
        self.servers = servers
        self.isQuick = isQuick
    }

    /// The sizes to measure. A quick run leaves out the large ones.
    func points(_ sizes: [Int]) -> [Int] { isQuick ? Array(sizes.prefix(2)) : sizes }

    var rounds: Int { isQuick ? 2 : 7 }
    /// The time that a round takes at least, in nanoseconds.
    private var length: Double { isQuick ? 5e6 : 60e6 }

    /// Starts `caretd`. It does not disconnect clients that are idle while others are measured.
    func caretd(data: String? = nil) -> ServerProcess {
        servers.caretd(data: data ?? servers.folder("growth"), options: ["--ping", "600s"])
    }

    /// The server's CPU time for an operation in nanoseconds, as the median of the rounds. `settle` waits at
    /// the end of a round until the server has done everything.
    func cost(
        _ server: ServerProcess, settle: () -> Void = {}, _ operation: () -> Void
    ) -> Double {
        // The first operations are not measured, because caches grow during them.
        for _ in 0..<3 { operation() }
        settle()
        waitUntilIdle(server)
        return (0..<rounds).map { _ in
            let (before, start) = (server.nanoseconds, wallNanoseconds())
            var count = 0
            repeat {
                operation()
                count += 1
            } while count < 3 || wallNanoseconds() - start < length
            settle()
            return (server.nanoseconds - before) / Double(count)
        }.median
    }

    /// The same for an operation that needs a preparation each time, which is not measured.
    func costEach(_ server: ServerProcess, prepare: () -> Void, operation: () -> Void) -> Double {
        waitUntilIdle(server)
        return (0..<3 * rounds).map { _ in
            prepare()
            // Until now, the server may still have been busy with the preparation.
            usleep(2_000)
            let before = server.nanoseconds
            operation()
            return server.nanoseconds - before
        }.median
    }

    /// Waits until the server has nothing to do, for example after it has compressed a new text.
    private func waitUntilIdle(_ server: ServerProcess) {
        let deadline = wallNanoseconds() + 5e9
        var before = server.nanoseconds
        repeat {
            usleep(50_000)
            let used = server.nanoseconds - before
            if used < 1e6 { return }
            before += used
        } while wallNanoseconds() < deadline
    }

    // MARK: Documents

    static let textBytes = 10_000

    /// The name of the document in a history.
    static let document = "growth"

    /// A folder with a document of this many revisions, written without a server. After the first revision,
    /// each replaces a random letter of a text of 10 KB. So all revisions have the same size.
    func history(of revisions: Int) async -> String {
        if let data = histories[revisions] { return data }
        let data = servers.folder("history")
        histories[revisions] = data
        let store = SQLiteStore.opened(data)
        let document = await store.createDocument(GrowthRun.document)
        let isWritten = await TypedHistory.commit(
            GrowthRun.changes(revisions), to: document, in: store, atOnce: 16)
        precondition(isWritten, "the store refused the history of a benchmark")
        await store.runUpkeep(at: .max)
        await store.close()
        return data
    }

    private static func changes(_ count: Int) -> [LoggedChange] {
        var random = Seeded(5)
        let text = SampleText.lines(bytes: textBytes, &random)
        return (0..<count).map { number in
            mustSucceed {
                let edit =
                    try number == 0
                    ? LoggedEdit(start: .zero, removed: .zero, text: text)
                    : LoggedEdit(
                        start: ascii(random.number(0...textBytes - 1)), removed: ascii(1),
                        text: letter(&random))
                return LoggedChange(
                    pusher: SampleLog.ann, seq: Int64(number + 1),
                    time: 1_790_000_000_000 + Int64(number) * 150, edits: [edit])
            }
        }
    }

    private static func ascii(_ count: Int) -> TextLength {
        TextLength(utf8: count, utf16: count, scalars: count)
    }

    static func letter(_ random: inout Seeded) -> String {
        String(UnicodeScalar(Crowd.alphabet[random.number(0...25)]))
    }
}

/// A client that replaces random letters of an open document.
final class LetterWriter {
    private let client: PlainClient
    private let name: String
    private let length: Int
    let epoch: String
    private(set) var revision: Int
    private var random = Seeded(3)

    init(_ client: PlainClient, _ name: String, length: Int) {
        (self.client, self.name, self.length) = (client, name, length)
        let opened = client.open(name)
        (revision, epoch) = (opened.revision, opened.epoch)
    }

    /// Pushes one letter, and waits for its ack.
    func push() {
        let place = random.number(0...length - 1)
        revision = client.edit(
            name, place..<place + 1, GrowthRun.letter(&random), epoch, base: revision)
    }
}
