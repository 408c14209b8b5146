/// `caret-bench store`: the store in SQLite.
struct StoreBenchmarks {
    static let measure =
        "Times are wall time, unless a heading says CPU; CPU time is that of the whole process."

    private static let parts = ["throughput", "history", "old", "documents"]

    private let isQuick: Bool
    private let folder: String
    private let chosen: [String]
    private var writing = [1, 8, 32, 1000]

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, valued: ["--folder", "--writing"], takesWords: true),
            options.words.allSatisfy(StoreBenchmarks.parts.contains)
        else { return nil }
        (isQuick, folder) = (options.isQuick, options.folder)
        chosen = options.words.isEmpty ? StoreBenchmarks.parts : options.words
        if let word = options["--writing"] {
            guard let count = Int(word), count > 0 else { return nil }
            writing = [count]
        }
    }

    func run() async {
        let base = BenchFolder(in: folder)
        print("The files are in \(folder), on \(Machine.fileSystem(of: folder)).\n")
        defer { base.remove() }
        if chosen.contains("throughput") {
            await StoreThroughput(base: base, isQuick: isQuick, counts: writing).run()
        }
        if chosen.contains("history") { await StoreHistory(base: base, isQuick: isQuick).run() }
        if chosen.contains("old") { await OldRevisions(base: base, isQuick: isQuick).run() }
        if chosen.contains("documents") { await StoreMemory(base: base).run() }
    }
}
