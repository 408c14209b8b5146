import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// What may take longer than a loop may be held up.
extension RoomJob {
    /// Bytes of text that a loop makes or reads for a room: about a tenth of a millisecond, which is what the lines of
    /// one turn of a connection cost. Where a room has a longer text, all that it is told is done beside the loops: who
    /// pushes may want the text, and who was slow be handed it.
    static let mostText = 64 << 10
    /// Edits of a push that a loop has moved over what was committed since.
    static let mostEdits = 64

    func isDear(_ isLarge: (DocumentID) -> Bool) -> Bool {
        switch self {
        case .event(let document, let event, _), .order(let document, let event):
            event.isDear || isLarge(document)
        case .answer(let place, let answer): answer.isDear || isLarge(place.document)
        case .make(_, let snapshot): snapshot.text.length.utf8 > RoomJob.mostText
        case .drop, .timePassed: false
        }
    }
}

extension RoomEvent {
    fileprivate var isDear: Bool {
        switch self {
        case .push(let push): push.content.isDear
        case .open, .rightsChanged, .rename, .delete, .renewed, .trimmed, .leave, .awaitPushes, .select,
            .close, .diverged, .written:
            false
        }
    }
}

extension RoomPush.Content {
    var isDear: Bool {
        switch self {
        case .text(let text): text.utf8.count > RoomJob.mostText
        case .edits(let edits):
            edits.count > RoomJob.mostEdits
                || edits.reduce(0) { $0 + $1.text.utf8.count } > RoomJob.mostText
        case .restore: false
        }
    }
}

extension RoomAnswer {
    fileprivate var isDear: Bool {
        switch self {
        // As many lines as a session's credit allows.
        case .historyRead: true
        case .textRead(_, .success(let snapshot)), .reloaded(_, let snapshot):
            snapshot.text.length.utf8 > RoomJob.mostText
        case .appended, .appendedLocked, .pusherFound, .textRead, .reloadFailed, .epochsRenewed, .computed,
            .summed, .renamed, .deleted:
            false
        }
    }
}
