import CaretCore
import CaretLog
import CaretStore
import Glibc
import TestSupport

/// A process for tests to kill: writes to four documents of a store without end, and says on standard output what
/// was acked, a line each: the document and its head.
///
/// Revision n of each document is its n-th letter, pushed as seq n.
@main struct StoreWriter {
    static func main() async throws {
        let store = try SQLiteStore(folder: CommandLine.arguments[1])
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { await write(to: "doc/\(number)", seed: UInt64(number), in: store) }
            }
        }
    }

    private static func write(to name: String, seed: UInt64, in store: SQLiteStore) async {
        do {
            var random = Seeded(seed)
            let entry = try await created(try DocumentName(name), in: store)
            var text = try await store.text(of: entry.id).get().text
            var head = entry.head
            while true {
                let changes = try letters(random.number(1...3), behind: &text, head)
                let append = Append(document: entry.id, epoch: entry.epoch, expected: head, changes: changes)
                guard case .committed(let next) = await store.append(append) else { exit(1) }
                head = next
                say("\(name) \(head.value)\n")
                if random.chance(2) {
                    _ = await store.putSnapshot(Snapshot(revision: head, text: text), of: entry.id)
                }
            }
        } catch {
            say("failed: \(error)\n")
            exit(1)
        }
    }

    private static func created(_ name: DocumentName, in store: SQLiteStore) async throws -> DocumentEntry {
        switch await store.create(name) {
        case .created(let entry), .exists(let entry): return entry
        case .refused(let refusal): throw refusal
        }
    }

    private static func letters(
        _ count: Int, behind text: inout Text, _ head: Revision
    ) throws -> [PushedChange] {
        try (1...count).map { number in
            let change = SampleChange.change([SampleChange.edit(text.end.value, text.end.value, "x")])
            let pushed = try SampleLog.pushed(change, in: text, seq: Int64(head.value + number))
            try text.apply(change)
            return pushed
        }
    }

    /// In one call, so that a line is whole or not there.
    private static func say(_ line: String) {
        let bytes = Array(line.utf8)
        Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
