import CaretCore
import CaretLog
import CaretStore
import Glibc
import Synchronization
import TestSupport

/// A process that tests kill. It writes to four documents of a store until it is killed. For each ack it
/// prints a line with the document and its head.
///
/// Revision n of each document appends the n-th letter, pushed with seq n. The arguments are the folder, and
/// optionally the name of an event and a number. The process kills itself at the first such event after this
/// number of acks.
///
/// A fourth argument is a passage: the process writes it to another document, and then removes it from there.
@main struct StoreWriter {
    private static let acks = Mutex(0)

    static func main() async throws {
        let folder = CommandLine.arguments[1]
        let moment = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""
        let count = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 0 : 0
        let newest = Migration.all.last?.number ?? 0
        // No store has this migration yet, so the process can be killed while the migration is applied.
        let next = Migration(
            number: newest + 1, sql: Array("CREATE TABLE later (x); INSERT INTO later VALUES (1);".utf8))
        let migrations = moment == "migrating" ? Migration.all + [next] : Migration.all
        let store = try SQLiteStore(folder: folder, migrations: migrations) { event in
            if isUnexpected(event) { printLine("unexpected: \(event)\n") }
            if name(of: event) == moment { die(after: count) }
        }
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { await write(to: "doc/\(number)", seed: UInt64(number), in: store) }
            }
            if CommandLine.arguments.count > 4 {
                group.addTask { await redact(CommandLine.arguments[4], in: store) }
            }
            if moment == "copying" { group.addTask { await copy(store, beside: folder, dyingAfter: count) } }
        }
    }

    private static func die(after count: Int) {
        if acks.withLock({ $0 >= count }) { kill(getpid(), SIGKILL) }
    }

    /// Whether the event should not happen. The process prints a line for such an event, and this line makes
    /// the test fail.
    private static func isUnexpected(_ event: StoreEvent) -> Bool {
        switch event {
        case .namesRebuilt, .renewed, .damaged, .damagedRow, .diskFailed, .filesLost, .diskFull,
            .checkpointDiskFull:
            true
        case .migrating, .writing, .committing, .committed, .checkpointing, .checkpointed, .snapshotting,
            .merging, .merged, .trimmed, .redacted, .erasing, .emptyingLog, .erased, .purged,
            .pushersForgotten, .clockIsBehind:
            false
        }
    }

    private static func name(of event: StoreEvent) -> String? {
        switch event {
        case .committing: "committing"
        case .committed: "committed"
        case .checkpointing: "checkpointing"
        case .checkpointed: "checkpointed"
        case .snapshotting: "snapshotting"
        case .merging: "merging"
        case .merged: "merged"
        case .redacted: "redacted"
        case .erasing: "erasing"
        case .emptyingLog: "emptyingLog"
        case .erased: "erased"
        case .migrating(let number) where number > Migration.all.last?.number ?? 0: "migrating"
        case .migrating, .namesRebuilt, .clockIsBehind, .renewed, .writing, .trimmed, .purged,
            .pushersForgotten, .diskFull,
            .checkpointDiskFull, .damaged, .damagedRow, .diskFailed, .filesLost:
            nil
        }
    }

    /// Makes one backup after another, until the process is killed.
    private static func copy(_ store: SQLiteStore, beside folder: String, dyingAfter count: Int) async {
        for number in 0... {
            do {
                _ = try await store.backUp(to: "\(folder)/backup-\(getpid())-\(number)", at: 1) { _, _ in
                    die(after: count)
                }
            } catch {
                printLine("failed: \(error)\n")
                exit(1)
            }
        }
    }

    /// Types a passage into a document and pastes it twice. Removes it once the others have written.
    private static func redact(_ passage: String, in store: SQLiteStore) async {
        do {
            let entry = try await created(try DocumentName("secret"), in: store)
            var text = try await store.text(of: entry.id).get().text
            var (changes, seq) = ([PushedChange](), Int64(entry.head.value))
            for piece in passage.map(String.init) + ["\n", passage, "\n", passage] {
                let change = SampleChange.change([SampleChange.edit(text.end.value, text.end.value, piece)])
                seq += 1
                changes.append(try SampleLog.pushed(change, in: text, seq: seq))
                try text.apply(change)
            }
            let append = Append(
                document: entry.id, epoch: entry.epoch, expected: entry.head, changes: changes)
            guard case .committed(let head) = await store.append(append) else { exit(1) }
            _ = await store.putSnapshot(Snapshot(revision: head, text: text), of: entry.id)
            while acks.withLock({ $0 < 50 }) { try await Task.sleep(for: .milliseconds(1)) }
            printLine("redacting 1\n")
            let result = await store.redact(entry.id, Redaction(try Passage(passage)))
            guard case .redacted(let report) = result, report.isErased else { exit(1) }
            printLine("redacted 1\n")
        } catch {
            printLine("failed: \(error)\n")
            exit(1)
        }
    }

    private static func write(to name: String, seed: UInt64, in store: SQLiteStore) async {
        do {
            var random = Seeded(seed)
            let entry = try await created(try DocumentName(name), in: store)
            var text = try await store.text(of: entry.id).get().text
            var head = entry.head
            while true {
                let changes = try letters(random.number(1...3), after: &text, head)
                let append = Append(document: entry.id, epoch: entry.epoch, expected: head, changes: changes)
                guard case .committed(let next) = await store.append(append) else { exit(1) }
                head = next
                printLine("\(name) \(head.value)\n")
                acks.withLock { $0 += 1 }
                if random.chance(2) {
                    _ = await store.putSnapshot(Snapshot(revision: head, text: text), of: entry.id)
                }
            }
        } catch {
            printLine("failed: \(error)\n")
            exit(1)
        }
    }

    private static func created(_ name: DocumentName, in store: SQLiteStore) async throws -> DocumentEntry {
        switch await store.create(name) {
        case .created(let entry), .exists(let entry): return entry
        case .refused(let refusal): throw refusal
        case .invalidChange: preconditionFailure("an empty document has no first revision")
        }
    }

    private static func letters(
        _ count: Int, after text: inout TextBuffer, _ head: Revision
    ) throws -> [PushedChange] {
        try (1...count).map { number in
            let change = SampleChange.change([SampleChange.edit(text.end.value, text.end.value, "x")])
            let pushed = try SampleLog.pushed(change, in: text, seq: Int64(head.value + number))
            try text.apply(change)
            return pushed
        }
    }

    /// Writes a line in one call, so that a kill never leaves a part of the line.
    private static func printLine(_ line: String) {
        let bytes = Array(line.utf8)
        Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
