package import CaretCore
package import CaretLog

/// A document's log with the text after every change. Tests compare the results of other code with it.
package struct ReferenceLog: Sendable {
    package let epoch: Epoch
    package private(set) var changes: [LoggedChange] = []
    package private(set) var texts: [TextBuffer]
    /// The revision of each pusher's push.
    private var revisions: [Push: Revision] = [:]

    private struct Push: Hashable {
        let pusher: Pusher
        let seq: Int64
    }

    /// A push is in the log twice.
    package struct DuplicatePush: Error {
        package let seq: Int64
        package let revisions: [Revision]
    }

    package init(epoch: Epoch) {
        self.epoch = epoch
        texts = [TextBuffer()]
    }

    package var head: Revision { Revision(changes.count) }
    package var text: TextBuffer { texts[changes.count] }

    package func text(at revision: Revision) -> TextBuffer { texts[revision.value] }

    package func change(_ revision: Revision) -> LoggedChange { changes[revision.value - 1] }

    package func changes(after revision: Revision) -> ArraySlice<LoggedChange> { changes[revision.value...] }

    package func revision(of seq: Int64, by pusher: Pusher) -> Revision? {
        revisions[Push(pusher: pusher, seq: seq)]
    }

    package mutating func append(_ change: LoggedChange) throws {
        texts.append(try text.applying(change.change))
        changes.append(change)
        let push = Push(pusher: change.pusher, seq: change.seq)
        if let first = revisions[push] { throw DuplicatePush(seq: change.seq, revisions: [first, head]) }
        revisions[push] = head
    }

    /// A selection, mapped from one revision to another.
    package func mapped(_ selections: [Selection], from: Revision, to: Revision) throws -> [Selection] {
        var selections = selections
        for logged in changes[from.value..<to.value] {
            let change = try logged.change
            selections = selections.map { $0.mapped(through: change) }
        }
        return selections
    }
}
