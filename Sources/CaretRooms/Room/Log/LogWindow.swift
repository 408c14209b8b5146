import CaretCore
package import CaretLog
import CaretWire

/// A committed revision in a room's memory, with the text after it.
package struct Committed: Sendable {
    let revision: Revision
    let logged: LoggedChange
    let change: Change
    let text: TextBuffer
    /// The public id of the pusher's client; nil if it is not computed yet.
    var client: WireString?
    /// The encoded line for other sessions, cached per unit.
    var lines = UnitLines()
    let pusherHash: Int

    init(revision: Revision, logged: LoggedChange, change: Change, text: TextBuffer) {
        self.revision = revision
        self.logged = logged
        self.change = change
        self.text = text
        pusherHash = logged.pusher.stableHash
    }

    /// An estimate of the revision's size in memory, for the window's limit. It counts the edits, the lines,
    /// and the part of the text that is not shared with the previous revision. That part is one chunk and the
    /// list of chunks.
    var weight: Int {
        let length = text.length.utf8
        let unshared = min(length / 2, 1536) + min(length / 48, 4096)
        return 2048 + unshared + logged.edits.reduce(0) { $0 + 64 + 2 * $1.edit.inserted.utf8 }
    }
}

extension Pusher {
    /// A hash that is the same in every process. Comparing it first avoids most comparisons of names.
    var stableHash: Int {
        client.utf8.reduce(user.utf8.reduce(0) { $0 &* 31 &+ Int($1) }) { $0 &* 31 &+ Int($1) }
    }
}

/// A cached line per unit.
typealias UnitLines = PerUnit<[UInt8]>

/// A cached value per unit; nil for units that were not needed yet.
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

/// The newest revisions of a document, limited in bytes. Sessions that are behind the head get their
/// revisions from this window.
package struct LogWindow: Sendable {
    /// The limit of the window in bytes. Above it, the window drops its oldest revisions.
    var mostBytes: Int
    /// The text before the first revision in the window.
    package private(set) var start: Snapshot
    private var revisions: [Committed] = []
    /// The latest run of lines per unit. It is kept while the room sends to its sessions.
    var runs = PerUnit<LineRun>()
    private(set) var bytes = 0

    /// Whether at most one revision is left. The last one stays, however large it is.
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

    /// Adds the revision after the head. The newest revision is always kept.
    mutating func append(_ new: Committed) {
        revisions.append(new)
        runs = PerUnit()
        bytes += new.weight
        dropSurplus()
    }

    /// Drops the oldest revisions if the window exceeds its limit. It drops more than necessary. Otherwise,
    /// after each new revision, all others would move in the array.
    mutating func dropSurplus() {
        if bytes <= mostBytes { return }
        let bound = mostBytes - mostBytes / 8
        var surplus = 0
        while bytes > bound, surplus < revisions.count - 1 {
            bytes -= revisions[surplus].weight
            surplus += 1
        }
        if surplus == 0 { return }
        start = Snapshot(revision: revisions[surplus - 1].revision, text: revisions[surplus - 1].text)
        revisions.removeFirst(surplus)
    }

    /// Drops the revisions up to and including `start`, which is not after the head. The text at `start`
    /// becomes the start of the window.
    mutating func trim(to start: Revision) {
        guard start > self.start.revision, let text = text(at: start) else { return }
        let forgotten = start.value - self.start.revision.value
        bytes -= revisions[..<forgotten].reduce(0) { $0 + $1.weight }
        revisions.removeFirst(forgotten)
        runs = PerUnit()
        self.start = Snapshot(revision: start, text: text)
    }

    /// The text at a revision; nil if the window does not have it.
    func text(at revision: Revision) -> TextBuffer? {
        if revision == start.revision { return start.text }
        return self[revision]?.text
    }

    subscript(revision: Revision) -> Committed? {
        index(of: revision).map { revisions[$0] }
    }

    func contains(_ revision: Revision) -> Bool { index(of: revision) != nil }

    /// Whether the window has this revision and this pusher made it.
    func isMade(_ revision: Revision, by pusher: @autoclosure () -> Pusher, _ hash: Int) -> Bool {
        // This runs for every line sent, and the pusher is usually another one. So the hashes are compared
        // first, and the names rarely.
        guard let index = index(of: revision), revisions[index].pusherHash == hash else { return false }
        return revisions[index].logged.pusher == pusher()
    }

    /// The revisions after this one; nil if the window does not have all of them.
    func changes(after revision: Revision) -> ArraySlice<Committed>? {
        guard revision >= start.revision, revision <= headRevision else { return nil }
        return revisions[(revision.value - start.revision.value)...]
    }

    /// The cached line of a revision in a unit; nil if none was made yet.
    func line(of revision: Revision, in unit: CodeUnit) -> [UInt8]? {
        index(of: revision).flatMap { revisions[$0].lines[unit] }
    }

    /// The hash of a revision's pusher; nil if the window does not have the revision.
    func pusherHash(of revision: Revision) -> Int? { index(of: revision).map { revisions[$0].pusherHash } }

    mutating func keep(_ line: [UInt8], of revision: Revision, in unit: CodeUnit) {
        if let index = index(of: revision) { revisions[index].lines[unit] = line }
    }

    /// Drops all cached lines. They contain the document's name, which has changed.
    mutating func forgetLines() {
        runs = PerUnit()
        for index in revisions.indices { revisions[index].lines = UnitLines() }
    }

    private func index(of revision: Revision) -> Int? {
        let index = revision.value - start.revision.value - 1
        return revisions.indices.contains(index) ? index : nil
    }
}
