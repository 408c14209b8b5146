import CaretCore
package import CaretLog
import CaretRooms
import CaretWire

/// Decides which jobs take so long that a loop must not run them.
extension RoomJob {
    /// The most bytes of text that a loop may build or read for a room. To build or read so much text takes
    /// about a tenth of a millisecond: as long as a turn takes to read the lines of one connection. If a
    /// room's text is longer, all its jobs are expensive: a push may need the whole text, and a slow reader
    /// may get it.
    static let mostText = 64 << 10
    /// The most edits of a push that a loop may rebase.
    static let mostEdits = 64

    package func isExpensive(_ isLarge: (DocumentID) -> Bool) -> Bool {
        switch self {
        case .connectionEvent(let document, let event, _), .hubEvent(let document, let event):
            event.isExpensive || isLarge(document)
        case .answer(let room, let event, _): event.isExpensive || isLarge(room.document)
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
        case .open, .rightsChanged, .rename, .delete, .redact, .renewed, .trimmed, .storeHead, .nowCalled,
            .bus, .leave, .awaitPushes, .select, .close, .diverged, .written, .computed, .encoded,
            .waitEnded, .timePassed:
            false
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
