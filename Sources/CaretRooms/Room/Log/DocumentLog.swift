package import CaretCore
package import CaretLog
package import CaretWire

/// A document's history as its room knows it: name, epoch, the newest revisions, and the text at the head.
///
/// It contains only what the store has reported as on disk.
package struct DocumentLog: Sendable {
    package let document: DocumentID
    /// The document's name as sent to clients.
    package private(set) var name: WireString
    package private(set) var epoch: Epoch
    /// The epoch as sent to clients. Each push must contain it.
    private(set) var epochName: WireString
    /// The oldest revision whose text the store keeps.
    package private(set) var start: Revision
    private(set) var lineBreak: LineBreak
    package private(set) var window: LogWindow
    /// The newest revisions as one change: the result of the last squash.
    private var squashed: SquashedLines?
    /// The time of the newest revision. Times never go back from one revision to the next.
    private(set) var newestTime: Int64

    package init(_ entry: DocumentEntry, head: Snapshot, windowBytes: Int) {
        document = entry.id
        name = WireString(entry.name.description)
        (epoch, epochName) = (entry.epoch, entry.epoch.wire)
        (start, lineBreak, newestTime) = (entry.start, entry.lineBreak, entry.updated)
        window = LogWindow(head, mostBytes: windowBytes)
    }

    var head: Revision { window.headRevision }
    var text: TextBuffer { window.head.text }
    var position: WirePosition { WirePosition(epoch: epochName, revision: head) }

    /// Whether this is an epoch of the document, perhaps of another generation of the store.
    func isEpoch(_ name: WireString) -> Bool {
        Epoch.documentPart(of: name) == Epoch.documentPart(of: epochName)
    }

    /// Adds the next revision.
    mutating func append(_ committed: Committed) {
        window.append(committed)
        newestTime = max(newestTime, committed.logged.time)
    }

    /// Sets the document's line break: that of the last pushed whole text. Clients use it when they write the
    /// text to a file.
    mutating func setLineBreak(_ lineBreak: LineBreak) { self.lineBreak = lineBreak }

    /// Drops the revisions up to `start`, and keeps the text at `start`. The store has deleted the revisions
    /// before `start`, which is not beyond the head.
    mutating func trim(to start: Revision) {
        self.start = start
        window.trim(to: start)
        squashed = nil
    }

    /// Sets the limit of the window in bytes.
    mutating func boundWindow(to bytes: Int) {
        setWindowLimit(bytes)
        window.dropSurplus()
    }

    package mutating func setWindowLimit(_ bytes: Int) { window.mostBytes = bytes }

    /// Renames the document. The cached lines are dropped, because they contain the old name.
    mutating func rename(to name: DocumentName) {
        self.name = WireString(name.description)
        window.forgetLines()
        squashed = nil
    }

    /// Updates the start of the history, the line break and the newest time from the store's entry. The text
    /// and the epoch stay.
    mutating func update(from entry: DocumentEntry) {
        (start, lineBreak, newestTime) = (entry.start, entry.lineBreak, entry.updated)
    }

    /// Starts a new history with this text and no revisions before it.
    package mutating func restart(at snapshot: Snapshot, in epoch: Epoch) {
        (self.epoch, epochName) = (epoch, epoch.wire)
        window = LogWindow(snapshot, mostBytes: window.mostBytes)
        squashed = nil
    }

    // MARK: Lines

    /// The cached squash of all revisions after this one; nil if the cache has another range.
    func squashed(from revision: Revision) -> SquashedLines? {
        guard let squashed, squashed.from == revision, squashed.revision == head else { return nil }
        return squashed
    }

    mutating func keep(_ squashed: SquashedLines, _ line: [UInt8], in unit: CodeUnit) {
        self.squashed = squashed
        self.squashed?.lines[unit] = line
    }

    mutating func keep(_ line: [UInt8], of revision: Revision, in unit: CodeUnit) {
        window.keep(line, of: revision, in: unit)
    }

    mutating func keep(_ run: LineRun, in unit: CodeUnit) { window.runs[unit] = run }

    mutating func forgetRuns() { window.runs = PerUnit() }

    // MARK: Invariants

    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("the first kept revision is not after the head", start <= head)
        try BrokenInvariant.check(
            "the window is within its limit, or has only one revision",
            window.bytes <= window.mostBytes || window.isShortest)
    }
}

extension Epoch {
    /// The epoch as sent to clients, for whom it is an opaque string.
    package var wire: WireString {
        WireString(Epoch.name(ofStore: generation).string + "." + String(document, radix: 36))
    }

    /// What belongs to the document in an epoch as sent to clients.
    fileprivate static func documentPart(of name: WireString) -> Substring? {
        name.string.split(separator: ".", omittingEmptySubsequences: false).last
    }

    /// The string that all epochs of a store begin with.
    package static func name(ofStore generation: UInt64) -> WireString {
        WireString(String(generation, radix: 36))
    }
}
