import Foundation
import TestSupport

/// What the layer of faults wrote down: every operation on the files of a database, and the acks, in one order.
struct FaultTrace {
    enum Kind: UInt8 {
        case opened = 0x6F
        /// What a file holds that was made, and synced, past SQLite.
        case found = 0x66
        case wrote = 0x77
        case synced = 0x73
        case truncated = 0x74
        case deleted = 0x64
        case marked = 0x6D
        /// A state of the file that is written past SQLite.
        case beside = 0x62
    }

    struct Entry {
        let kind: Kind
        /// The name; empty where it is no operation on a file.
        let file: String
        /// It was made to fail, and not done.
        let hasFailed: Bool
        let offset: Int
        let bytes: ArraySlice<UInt8>

        /// A number of steps that are acked by now; nil where it is no mark of that.
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
                throw Unexpected(what: "a trace that is not understood at \(at)")
            }
            let end = at + 16 + Int(FaultTrace.number(bytes[(at + 4)..<(at + 8)]))
            guard end <= bytes.count else { throw Unexpected(what: "a trace that was cut off at \(at)") }
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

    /// How many steps are acked by the marks in front of an entry.
    func acked(before index: Int) -> Int { entries[..<index].last { $0.acked != nil }?.acked ?? 0 }

    /// Whether a group was committed between the last ack in front of an entry and the entry.
    func hasCommitted(before index: Int) -> Bool {
        let acked = entries[..<index].lastIndex { $0.acked != nil } ?? 0
        return entries[acked..<index].contains { $0.kind == .beside }
    }

    /// The operations of a kind, each with its file; the n-th of them is the one that an order for n strikes.
    func files(of kind: Kind) -> [String] { entries.filter { $0.kind == kind }.map(\.file) }

    /// So many numbers of operations of a kind, half of them inside of checkpoints between acks; all where there are no
    /// more.
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

    /// The first operation that was made to fail.
    var firstFailure: Int? { entries.firstIndex(where: \.hasFailed) }
}
