import CaretCore
package import CaretLog
import CaretRooms
import CaretWire

/// Decides which jobs take so long that a loop must not run them.
extension RoomJob {
    /// The most bytes of text that a loop may build or read for a room. To build or read so much text takes
    /// about a tenth of a millisecond: as long as a turn takes to read the lines of one connection.
    static let mostText = 64 << 10
    /// The most edits of a push that a loop may rebase.
    static let mostEdits = 64

    /// What a room's text means for its jobs.
    package enum Text {
        case short
        /// Over `mostText`.
        case long
        /// The same, and the room may build or read all of it at any event.
        case longAndNeeded
    }

    package func isExpensive(_ text: (DocumentID) -> Text) -> Bool {
        switch self {
        case .connectionEvent(let document, let event, _), .hubEvent(let document, let event):
            event.isExpensive || event.isExpensive(with: text(document))
        case .answer(let room, let event, _):
            event.isExpensive || event.isExpensive(with: text(room.document))
        case .makeRoom(let document): document.head.text.length.utf8 > RoomJob.mostText
        case .dropRoom, .timePassed, .endWaits: false
        }
    }
}

extension RoomEvent {
    /// Whether the event is expensive even in a room with a short text.
    package var isExpensive: Bool {
        switch self {
        case .push(let push): push.content.isExpensive
        case .answered(_, let answer): answer.isExpensive
        case .open, .rightsChanged, .rename, .delete, .redact, .renewed, .trimmed, .storeHead, .hubAppends,
            .notesChanged,
            .nowCalled, .bus, .leave, .awaitPushes, .select, .close, .diverged, .written, .computed, .encoded,
            .waitEnded, .timePassed:
            false
        }
    }
}

extension RoomEvent {
    /// Whether the room may build or read its whole text because of this event, and the text is long. A session that
    /// needs a long text gets it from another thread, so an edit in a long text costs no more than in a short one.
    fileprivate func isExpensive(with text: RoomJob.Text) -> Bool {
        if text == .short { return false }
        switch self {
        case .push(let push): return push.needsWholeText || text == .longAndNeeded
        case .answered(_, .appended), .answered(_, .appendedLocked), .select, .written, .waitEnded,
            .timePassed, .close, .leave, .awaitPushes, .hubAppends, .notesChanged:
            return text == .longAndNeeded
        case .open, .rightsChanged, .rename, .delete, .redact, .renewed, .trimmed, .storeHead, .nowCalled,
            .bus, .diverged, .computed, .encoded, .answered:
            return true
        }
    }
}

extension RoomPush.Content {
    package var isExpensive: Bool {
        switch self {
        case .text(let text): text.utf8.count > RoomJob.mostText
        case .edits(let edits):
            edits.count > RoomJob.mostEdits
                || edits.reduce(0) { $0 + $1.text.utf8.count } > RoomJob.mostText
        case .restore: false
        }
    }
}

extension StoreAnswer {
    fileprivate var isExpensive: Bool {
        switch self {
        // The room encodes as many lines as the session's credit allows.
        case .read: true
        case .text(.success(let snapshot)): snapshot.text.length.utf8 > RoomJob.mostText
        case .loaded(.success(let document)): document.head.text.length.utf8 > RoomJob.mostText
        default: false
        }
    }
}
