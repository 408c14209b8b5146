import CaretCore
package import CaretLog
import CaretWire

/// A revision as a room keeps it: with the text that it made.
package struct Committed: Sendable {
    let revision: Revision
    let logged: LoggedChange
    let change: Change
    let text: Text
    /// What others may know its maker's client by; nil where nobody has found that out yet.
    var client: WireString?
    /// As others are told of it.
    var lines = UnitLines()
    /// Its pusher's mark.
    let mark: Int

    init(revision: Revision, logged: LoggedChange, change: Change, text: Text) {
        self.revision = revision
        self.logged = logged
        self.change = change
        self.text = text
        mark = logged.pusher.mark
    }

    /// What it counts in the window's bound: its edits, its lines, and what of its text it does not share with the one
    /// before it, which is a chunk and the list that the chunk stands in.
    var weight: Int {
        let length = text.length.utf8
        let unshared = min(length / 2, 1536) + min(length / 48, 4096)
        return 2048 + unshared + logged.edits.reduce(0) { $0 + 64 + 2 * $1.edit.inserted.utf8 }
    }
}

extension Pusher {
    /// The same for the same pusher, and mostly another for another: to tell them apart without looking at names.
    var mark: Int {
        client.utf8.reduce(user.utf8.reduce(0) { $0 &* 31 &+ Int($1) }) { $0 &* 31 &+ Int($1) }
    }
}

/// One line in each unit that it was asked for in.
typealias UnitLines = PerUnit<[UInt8]>

/// What is made for each unit once it is asked for in it.
struct PerUnit<Made: Sendable>: Sendable {
    private var utf8: Made?
    private var utf16: Made?
    private var scalars: Made?

    subscript(unit: CodeUnit) -> Made? {
        get {
            switch unit {
            case .utf8: utf8
            case .utf16: utf16
            case .scalar: scalars
            }
        }
        set {
            switch unit {
            case .utf8: utf8 = newValue
            case .utf16: utf16 = newValue
            case .scalar: scalars = newValue
            }
        }
    }
}

/// The last revisions of a document, bounded in bytes: whoever is behind is brought up from here.
package struct LogWindow: Sendable {
    private(set) var mostBytes: Int
    /// The text in front of the first revision that is kept.
    package private(set) var start: Snapshot
    private var revisions: [Committed] = []
    /// Of the newest revisions, while streams are served.
    var runs = PerUnit<LineRun>()
    private(set) var bytes = 0

    /// Whether at most one revision is left, which stays however large it is.
    var isShortest: Bool { revisions.count <= 1 }

    init(_ head: Snapshot, mostBytes: Int) {
        start = head
        self.mostBytes = mostBytes
    }

    package var head: Snapshot {
        revisions.last.map { Snapshot(revision: $0.revision, text: $0.text) } ?? start
    }

    var headRevision: Revision { revisions.last?.revision ?? start.revision }

    /// Bytes of the head's text.
    var headBytes: Int { revisions.last?.text.length.utf8 ?? start.text.length.utf8 }

    /// Takes in what was committed behind the head. The newest is always kept.
    mutating func append(_ new: Committed) {
        revisions.append(new)
        runs = PerUnit()
        bytes += new.weight
        if bytes > mostBytes { drop(to: mostBytes - mostBytes / 8) }
    }

    /// Keeps no more than so many bytes from now on.
    mutating func bound(to bytes: Int) {
        mostBytes = bytes
        if self.bytes > mostBytes { drop(to: mostBytes - mostBytes / 8) }
    }

    /// Drops more than it must, so that the rest is not moved for every revision.
    private mutating func drop(to bound: Int) {
        var surplus = 0
        while bytes > bound, surplus < revisions.count - 1 {
            bytes -= revisions[surplus].weight
            surplus += 1
        }
        if surplus == 0 { return }
        start = Snapshot(revision: revisions[surplus - 1].revision, text: revisions[surplus - 1].text)
        revisions.removeFirst(surplus)
    }

    /// Forgets what led to this revision, whose text is kept on. It is not beyond the head.
    mutating func trim(to start: Revision) {
        guard start > self.start.revision, let text = text(at: start) else { return }
        let forgotten = start.value - self.start.revision.value
        bytes -= revisions[..<forgotten].reduce(0) { $0 + $1.weight }
        revisions.removeFirst(forgotten)
        runs = PerUnit()
        self.start = Snapshot(revision: start, text: text)
    }

    /// Nil where it is not kept.
    func text(at revision: Revision) -> Text? {
        if revision == start.revision { return start.text }
        return self[revision]?.text
    }

    subscript(revision: Revision) -> Committed? {
        index(of: revision).map { revisions[$0] }
    }

    func contains(_ revision: Revision) -> Bool { index(of: revision) != nil }

    /// Whether a kept revision is this pusher's.
    func isMade(_ revision: Revision, by pusher: @autoclosure () -> Pusher, _ mark: Int) -> Bool {
        // Asked for every line that is handed to anybody, and mostly it is not: then nobody's name is looked at.
        guard let index = index(of: revision), revisions[index].mark == mark else { return false }
        return revisions[index].logged.pusher == pusher()
    }

    /// The revisions after this one; nil where not all of them are kept.
    func changes(after revision: Revision) -> ArraySlice<Committed>? {
        guard revision >= start.revision, revision <= headRevision else { return nil }
        return revisions[(revision.value - start.revision.value)...]
    }

    /// A kept revision's line in a unit; nil before it was made.
    func line(of revision: Revision, in unit: CodeUnit) -> [UInt8]? {
        index(of: revision).flatMap { revisions[$0].lines[unit] }
    }

    /// The mark of a kept revision's pusher.
    func mark(of revision: Revision) -> Int? { index(of: revision).map { revisions[$0].mark } }

    mutating func keep(_ line: [UInt8], of revision: Revision, in unit: CodeUnit) {
        if let index = index(of: revision) { revisions[index].lines[unit] = line }
    }

    /// The document is called otherwise now.
    mutating func forgetLines() {
        runs = PerUnit()
        for index in revisions.indices { revisions[index].lines = UnitLines() }
    }

    private func index(of revision: Revision) -> Int? {
        let index = revision.value - start.revision.value - 1
        return revisions.indices.contains(index) ? index : nil
    }
}
