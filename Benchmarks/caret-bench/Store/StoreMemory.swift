import CaretLog
import CaretStore
import Glibc
import TestSupport

/// The memory of a store with many documents while none of them is open.
struct StoreMemory {
    let base: BenchFolder

    private static let documents = 100_000

    /// Makes the documents in this process, and measures in another process that uses memory only for the
    /// store.
    func run() async {
        let folder = base.makeFolder("documents")
        let store = SQLiteStore.opened(folder)
        let start = wallNanoseconds()
        for first in stride(from: 0, to: StoreMemory.documents, by: 10_000) {
            _ = await store.createDocuments(10_000) { "team-\((first + $0) % 100)/document-\(first + $0)" }
        }
        let time = wallNanoseconds() - start
        await store.close()
        print("\(StoreMemory.documents) documents, made in \(time.time), none of them open")
        fflush(nil)
        let process = started("/proc/self/exe", ["caret-bench", "store-memory", folder])
        var status: Int32 = 0
        waitpid(process, &status, 0)
        precondition(status == 0, "the process that measures memory ended with status \(status)")
    }

    /// Opens the store in the folder, and prints the memory of the process.
    static func measure(folder: String) async {
        let before = resident()
        let start = wallNanoseconds()
        let store = SQLiteStore.opened(folder)
        let opened = wallNanoseconds()
        var table = Table(["", "resident", "took"])
        table.row("the process at start", before.megabytes, "")
        table.row("after opening the store", resident().megabytes, (opened - start).time)
        var (names, after): ([DocumentName], ByteString?) = ([], nil)
        var count = 0
        while true {
            guard case .success(let page) = await store.list(after: after, limit: 1000) else {
                preconditionFailure("the documents cannot be listed")
            }
            count += page.entries.count
            if let last = page.entries.last { names.append(last.name) }
            after = page.entries.last?.name.bytes
            if !page.hasMore { break }
        }
        precondition(count == documents, "the store lists \(count) of its \(documents) documents")
        let listed = wallNanoseconds()
        table.row("all listed, 1000 a page", resident().megabytes, (listed - opened).time)
        for _ in 0..<10 {
            for name in names {
                guard case .success(let entry) = await store.find(name),
                    case .success = await store.text(of: entry.id)
                else { preconditionFailure("a document cannot be read") }
            }
        }
        let looked = (wallNanoseconds() - listed) / Double(10 * names.count)
        table.row("\(10 * names.count) looked up and read", resident().megabytes, looked.time + " each")
        await store.close()
        table.row("the maximum", resident(isPeak: true).megabytes, "")
        table.print(under: "Memory of a process that only opens and reads the store")
    }

    /// Resident bytes of the process, including the files that it executes.
    private static func resident(isPeak: Bool = false) -> Double {
        Double(Machine.status(isPeak ? "VmHWM:" : "VmRSS:")) * 1024
    }
}
