import CaretClient
import CaretSync
import CaretWire
import Synchronization
import TestSupport

/// Folders that are synced with a server, all in memory. Tests advance the clock.
final class SyncWorld {
    /// The clock for all programs and disks of a world, in milliseconds.
    final class Clock: Sendable {
        private let time = Mutex(1_790_000_000_000)

        var now: Int { time.withLock { $0 } }
        func pass(_ milliseconds: Int) { time.withLock { $0 += milliseconds } }
        var forSync: SyncClock { SyncClock(steady: { self.now }, wall: { self.now }) }
    }

    /// The reports of all programs.
    private final class Reports: Sendable {
        private let reports = Mutex<[(report: SyncReport, path: String)]>([])

        var all: [(report: SyncReport, path: String)] { reports.withLock { $0 } }
        func add(_ report: SyncReport, _ path: String) { reports.withLock { $0.append((report, path)) } }
    }

    /// A folder on its own machine, with the program that syncs it.
    final class Folder {
        let disk: MemoryDisk
        let follower: Int
        fileprivate(set) var syncer: Syncer?

        fileprivate init(_ disk: MemoryDisk, _ follower: Int) {
            (self.disk, self.follower) = (disk, follower)
        }
    }

    static let root = "/notes"
    let clock = Clock()
    private(set) var server: ModelServer
    private let reportLog = Reports()
    let folders: [Folder]

    init(folders count: Int = 1) throws {
        let (clock, server) = (clock, ModelServer())
        self.server = server
        folders = (0..<count).map { _ in
            Folder(MemoryDisk(now: { clock.now }), server.follow())
        }
        for folder in folders { folder.disk.makeFolder(byUser: Self.root) }
    }

    /// The reports of all programs, in order.
    var reports: [(report: SyncReport, path: String)] { reportLog.all }

    /// The first folder's disk, for worlds with a single folder.
    var disk: MemoryDisk { folders[0].disk }

    static func path(_ name: String) -> String { root + "/" + name }

    func text(_ name: String, in folder: Int = 0) -> String? { folders[folder].disk.text(Self.path(name)) }

    func save(_ text: String, to name: String, in folder: Int = 0, asNewFile: Bool = false) {
        folders[folder].disk.save(text, to: Self.path(name), asNewFile: asNewFile)
    }

    // MARK: Programs

    /// Replaces the server at the address by another server.
    func change(to server: ModelServer) {
        self.server = server
        for (index, folder) in folders.enumerated() {
            precondition(server.follow() == index && folder.follower == index)
            folder.syncer = nil
        }
    }

    /// Ends the program of a folder. Everything it had in memory is lost.
    func end(_ index: Int) { folders[index].syncer = nil }

    /// Starts the program of a folder as `caret sync` does. Returns false if the server is a different one.
    @discardableResult
    func begin(_ index: Int, adopting: Bool = false) async throws -> Bool {
        let folder = folders[index]
        folder.disk.kill(after: nil)
        var state = try SyncState(in: Self.root, prefix: "", on: folder.disk, clock: clock.forSync)
        let beginning = server.beginning(for: folder.follower)
        let documents = beginning.compactMap { news in
            if case .document(let summary) = news {
                StoreComparison.ownPart(of: summary.epoch.string)
            } else {
                nil
            }
        }
        switch StoreComparison(store: server.store, documents: Set(documents)).outcome(on: state) {
        case .same, .first, .restored: break
        case .other: if !adopting { return false }
        }
        try state.bind(to: server.store)
        let files = SyncFolder(root: Self.root, limit: 1 << 20, on: folder.disk)
        let syncer = Syncer(
            server, SyncNames(prefix: ""), files, state, clock: clock.forSync,
            onReport: { [reportLog, disk = folder.disk] report, path, _ in
                reportLog.add(report, path)
                Self.expectDurable(report, path, on: disk)
            })
        folder.syncer = syncer
        for news in beginning { try await syncer.apply(news) }
        return true
    }

    /// Compares a folder with the server as if they had never been synced, as `caret sync` does after
    /// `StorePutBack`.
    func startOver(_ index: Int) async throws {
        guard var state = await folders[index].syncer?.state else { return }
        try state.startOver()
        try await begin(index)
    }

    /// Delivers all events to the program of a folder, and lets it check everything once. Returns how long it
    /// would wait until the next pass.
    @discardableResult
    func pass(_ index: Int = 0) async throws -> Int {
        let folder = folders[index]
        guard let syncer = folder.syncer else { return .max }
        for news in server.removeNews(of: folder.follower) { try await syncer.apply(news) }
        await syncer.changed(FolderWatch.Changes(files: [], needsScan: true))
        let before = folder.disk.changes
        let wait = try await syncer.pass(nil, once: false) ?? .max
        if folder.disk.changes != before, !folder.disk.isKilled {
            await Self.expectTidy(syncer.state.records, on: folder.disk)
        }
        return wait
    }

    /// Lets time pass while all programs run.
    func run(_ milliseconds: Int) async throws {
        let end = clock.now + milliseconds
        while true {
            for index in folders.indices { try await pass(index) }
            if clock.now >= end { return }
            clock.pass(min(end - clock.now, 50))
        }
    }

    /// Advances the clock by hours in which nothing happens.
    func idle(_ milliseconds: Int) async throws {
        try await run(4_000)
        clock.pass(max(0, milliseconds - 4_000))
        for index in folders.indices { try await pass(index) }
    }
}
