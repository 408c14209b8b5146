import Foundation
import TestSupport

/// What the fault layer recorded: every operation on the files of a database, and the acks, in order.
struct FaultTrace {
    enum Kind: UInt8 {
        case opened = 0x6F
        /// The content of a file that was created and synced before the layer opened it.
        case found = 0x66
        case wrote = 0x77
        case synced = 0x73
        case truncated = 0x74
        case deleted = 0x64
        case marked = 0x6D
        /// A new content of the commit counter, which the store writes without SQLite.
        case beside = 0x62
    }

    struct Entry {
        let kind: Kind
        /// The name of the file; empty if the entry is not an operation on a file.
        let file: String
        /// The layer made the operation fail, and did not do it.
        let hasFailed: Bool
        let offset: Int
        let bytes: ArraySlice<UInt8>

        /// The number of steps acked so far; nil if the entry does not mark an ack.
        var acked: Int? { kind == .marked ? Int(String(decoding: bytes, as: UTF8.self)) : nil }
    }

    let entries: [Entry]

    static let database = "caret.sqlite"
    static let log = "caret.sqlite-wal"
    static let beside = "caret.commits"

    init(contentsOf path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var entries: [Entry] = []
        var names: [UInt8: String] = [:]
        var at = 0
        while at < bytes.count {
            guard at + 16 <= bytes.count, let kind = Kind(rawValue: bytes[at]) else {
                throw Unexpected(what: "an unknown record in the trace at \(at)")
            }
            let end = at + 16 + Int(FaultTrace.number(bytes[(at + 4)..<(at + 8)]))
            guard end <= bytes.count else { throw Unexpected(what: "the trace is truncated at \(at)") }
            let (file, content) = (bytes[at + 1], bytes[(at + 16)..<end])
            if kind == .opened { names[file] = String(decoding: content, as: UTF8.self) }
            entries.append(
                Entry(
                    kind: kind, file: kind == .marked || kind == .beside ? "" : names[file] ?? "",
                    hasFailed: bytes[at + 2] == 1,
                    offset: Int(bitPattern: UInt(FaultTrace.number(bytes[(at + 8)..<(at + 16)]))),
                    bytes: content))
            at = end
        }
        self.entries = entries
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The number of steps acked before an entry.
    func acked(before index: Int) -> Int { entries[..<index].last { $0.acked != nil }?.acked ?? 0 }

    /// Whether there was a commit after the last ack before an entry.
    func hasCommitted(before index: Int) -> Bool {
        let acked = entries[..<index].lastIndex { $0.acked != nil } ?? 0
        return entries[acked..<index].contains { $0.kind == .beside }
    }

    /// The file of each operation of a kind, in order. The argument `fail=kind:n` makes the n-th operation of
    /// this kind fail.
    func files(of kind: Kind) -> [String] { entries.filter { $0.kind == kind }.map(\.file) }

    /// Picks the numbers of `count` operations of a kind, half of them inside checkpoints between acks. If
    /// there are at most `count` operations, returns the numbers of all.
    func someNumbers(_ count: Int, of kind: Kind, _ random: inout Seeded) -> [Int] {
        var (all, inside, isServing) = (0, [Int](), false)
        for entry in entries {
            if entry.kind == .marked { isServing = entry.acked != nil }
            if entry.kind != kind { continue }
            all += 1
            if isServing && entry.file == FaultTrace.database { inside.append(all) }
        }
        if all <= count { return Array(1...all) }
        return (0..<count).map { round in
            round % 2 == 0 && !inside.isEmpty ? random.pick(inside) : random.number(1...all)
        }
    }

    /// The first operation that the layer made to fail.
    var firstFailure: Int? { entries.firstIndex(where: \.hasFailed) }
}
