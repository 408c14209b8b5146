import CaretCore
import CaretLog
import CaretStore
import FoundationEssentials
import Glibc

/// `caret-bench store`: the store in SQLite.
struct StoreBenchmarks {
    static let measure =
        "Times are wall time, unless a heading says CPU; CPU time is that of the whole process."

    private static let parts = ["throughput", "history", "documents"]

    private var isQuick = false
    private var folder = FileManager.default.temporaryDirectory.path
    private var writing = [1, 8, 32, 1000]
    private var chosen: [String] = []

    /// Nil where the arguments are not those of the command.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--folder":
                guard let path = rest.popFirst() else { return nil }
                folder = path
            case "--writing":
                guard let count = rest.popFirst().flatMap(Int.init), count > 0 else { return nil }
                writing = [count]
            case _ where StoreBenchmarks.parts.contains(argument): chosen.append(argument)
            default: return nil
            }
        }
        if chosen.isEmpty { chosen = StoreBenchmarks.parts }
    }

    func run() async {
        let base = BenchFolder(path: folder + "/caret-bench-\(getpid())")
        print("The files are in \(folder), on \(Machine.fileSystem(of: folder)).\n")
        defer { base.remove() }
        if chosen.contains("throughput") {
            await StoreThroughput(base: base, isQuick: isQuick, counts: writing).run()
        }
        if chosen.contains("history") { await StoreHistory(base: base, isQuick: isQuick).run() }
        if chosen.contains("documents") { await StoreMemory(base: base).run() }
    }
}

/// A folder that a benchmark makes, with folders for its stores.
struct BenchFolder {
    let path: String

    /// A new folder in it.
    func made(_ name: String) -> String {
        let made = path + "/" + name
        sure { try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true) }
        return made
    }

    func remove() {
        // What cannot be removed lies where its user told it to lie.
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension SQLiteStore {
    static func opened(
        _ folder: String, tell: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) -> SQLiteStore {
        sure { try SQLiteStore(folder: folder, tell: tell) }
    }

    func closed() async { await withCheckedContinuation { done in close { done.resume() } } }

    /// A new document.
    func made(_ name: String) async -> DocumentEntry {
        let name = sure { try DocumentName(name) }
        return await withCheckedContinuation { done in
            create(name, at: 0) { creation in
                guard case .created(let entry) = creation else {
                    preconditionFailure("a benchmark's document was not made: \(creation)")
                }
                done.resume(returning: entry)
            }
        }
    }

    /// So many new documents, made in as few groups as may be.
    func made(_ count: Int, name: @escaping @Sendable (Int) -> String) async -> [DocumentEntry] {
        await withTaskGroup { group in
            for number in 0..<count { group.addTask { (number, await self.made(name(number))) } }
            var entries: [(Int, DocumentEntry)] = []
            for await entry in group { entries.append(entry) }
            return entries.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
