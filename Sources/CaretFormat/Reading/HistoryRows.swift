package import CaretCore
package import CaretLog

/// The rows of documents and their histories, as one connection of a database reads them.
///
/// A damaged row of a document is nil in a list of rows. Elsewhere, a damaged row throws `damaged`. Calls that must
/// see the same state run inside one `reading`.
package protocol HistoryRows: SendableMetatype {
    associatedtype Fault: HistoryFault

    /// The store's part of every epoch.
    var generation: UInt64 { get }

    /// Runs `body` on one snapshot of the database.
    func reading<Answer>(_ body: () throws(Fault) -> Answer) throws(Fault) -> Answer

    // MARK: Documents

    /// A document, deleted or not. Throws `gone` if there is none.
    func document(_ id: DocumentID) throws(Fault) -> DocumentRow

    /// The document with this name that is not deleted. Throws `gone` if there is none.
    func document(named name: DocumentName) throws(Fault) -> DocumentRow

    /// Calls `body` with the documents that are not deleted, in the order of their names, from the name `start` on
    /// but without the name `after`, until `body` returns false.
    func forEachDocument(
        from start: ByteString, without after: ByteString?,
        _ body: (_ name: ByteString, DocumentRow?) throws(Fault) -> Bool) throws(Fault)

    /// Calls `body` with the deleted documents that can be undeleted, in the order of their IDs, until `body` returns
    /// false.
    func forEachDeleted(
        prefix: ByteString, after: DocumentID, _ body: (DocumentRow?) throws(Fault) -> Bool) throws(Fault)

    /// The next documents in the order of their IDs, deleted or not.
    func documents(after id: DocumentID, limit: Int) throws(Fault) -> [VisitedDocument]

    /// The document with this ID, deleted or not; nil if there is none.
    func visitedDocument(_ id: DocumentID) throws(Fault) -> VisitedDocument?

    /// The highest ID that was ever used.
    func lastDocument() throws(Fault) -> DocumentID

    // MARK: Pushers

    func entry(of pusher: Pusher, in document: DocumentID) throws(Fault) -> PusherEntry?

    /// The last push of a pusher, as its row has it.
    func lastPush(of pusher: Pusher, in document: DocumentID) throws(Fault) -> NewestPushes.Push?

    /// Whether the document has a pusher whose last push is older than `time`.
    func hasPusher(of document: DocumentID, usedBefore time: Int64) throws(Fault) -> Bool

    /// The authors whose last push is older than `time`, the oldest first.
    func authors(of document: DocumentID, usedBefore time: Int64, limit: Int) throws(Fault) -> [Int64]

    /// Calls `body` with all pushers of a document. The entry of a damaged row is nil.
    func forEachPusher(
        of document: DocumentID, _ body: (Pusher, PusherEntry?) throws(Fault) -> Void) throws(Fault)

    /// The number of a pusher; nil if the store does not know the pusher.
    func number(of pusher: Pusher) throws(Fault) -> Int64?

    func author(_ number: Int64) throws(Fault) -> Pusher?

    // MARK: Snapshots

    /// The newest snapshot at `revision` or before; nil if there is none.
    func newestSnapshot(
        of document: DocumentEntry, through revision: Revision
    ) throws(Fault) -> StoredSnapshot?

    /// The revision of that snapshot; 0 if there is none.
    func newestSnapshotRevision(of document: DocumentID, through revision: Revision) throws(Fault) -> Revision

    /// The revisions of the snapshots from `revision` on, in order.
    func snapshotRevisions(of document: DocumentID, from revision: Revision) throws(Fault) -> [Revision]

    /// The snapshots from `revision` on, in order. A damaged one is nil.
    func snapshots(of document: DocumentEntry, from revision: Revision) throws(Fault) -> [StoredSnapshot?]

    func hasSnapshot(of document: DocumentID, before revision: Revision) throws(Fault) -> Bool

    // MARK: Segments

    /// Calls `body` with the segments of a document in order, until `body` returns false. Starts with the last one
    /// that begins at `revision` or before. `content` reads the body of the segment.
    func forEachSegment(
        of document: DocumentID, from revision: Revision,
        _ body: (SegmentRow, _ content: () -> [UInt8]) throws(Fault) -> Bool) throws(Fault)

    /// The newest segment, and the length of its body.
    func lastSegment(of document: DocumentID) throws(Fault) -> (row: SegmentRow, bytes: Int)?

    /// All segments of a document without their content, in order.
    func summaries(of document: DocumentID) throws(Fault) -> [SegmentSummary]

    /// Whether a segment is stored as it was appended.
    func isPlain(_ row: Int64, of document: DocumentID) throws(Fault) -> Bool

    /// The first revision of the first segment that has a revision after `revision`, and a change at `time` or later.
    func firstSegment(
        of document: DocumentID, after revision: Revision, changedSince time: Int64
    ) throws(Fault) -> Revision?

    /// Whether the history between the snapshot at `revision` and the snapshot before it is at least `share` times
    /// as long as the snapshot, in stored bytes. Nil if there is no such snapshot.
    func isHistoryLong(
        before revision: Revision, of document: DocumentID, share: Int
    ) throws(Fault) -> Bool?

    // MARK: Tags

    func tags(of document: DocumentID) throws(Fault) -> [Tag]
}

/// A row of `segment` without its content.
package struct SegmentRow {
    /// Identifies the row in its document.
    package let row: Int64
    package let first: Int64
    package let last: Int64
    /// The latest time of its changes.
    package let time: Int64
    package let before: Digest
    package let after: Digest

    package init(row: Int64, first: Int64, last: Int64, time: Int64, before: Digest, after: Digest) {
        self.row = row
        self.first = first
        self.last = last
        self.time = time
        self.before = before
        self.after = after
    }
}

/// A document that a round of upkeep visits. `document` is nil if the row is damaged.
package struct VisitedDocument: Sendable {
    package let id: DocumentID
    package let document: DocumentRow?

    package init(id: DocumentID, document: DocumentRow?) {
        self.id = id
        self.document = document
    }
}
