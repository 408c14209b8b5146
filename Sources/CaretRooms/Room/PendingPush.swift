import CaretCore
import CaretLog
import CaretWire

/// A push that was taken and is not settled yet.
struct PendingPush: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// It waits for the text at this revision.
        case needsText(Revision)
        /// Its change, made at this revision, waits for the revisions behind it.
        case needsHistory(Change, at: Revision)
        /// Its change is worked on, and will be one at this revision.
        case working(WorkID, at: Revision)
        /// What it will do, as seen from this revision, waits for the next segment.
        case ready(PushAim, at: Revision)
        /// It is in the segment that is being appended.
        case inFlight(PushAim, at: Revision)
    }

    var push: RoomPush
    var stage: Stage
    /// Nothing is known of pushes of his before this one.
    let isFirstOfPusher: Bool
    /// A whole text, as it was pushed; nil where edits were.
    let whole: NormalText?
    /// What a restore takes the document back to, once that was read.
    var target: Text?
    /// His newest session is not the one that he pushed it in first.
    var hasMoved = false
    /// How often work on it was done beside the room.
    var rounds = 0

    /// The answer goes to wherever he asked last.
    mutating func take(_ repeated: RoomPush) {
        if push.session != repeated.session { hasMoved = true }
        push.session = repeated.session
        push.id = repeated.id
        push.wantsText = repeated.wantsText
        push.rights = repeated.rights
    }
}

/// What a push does to the document once its turn comes.
enum PushAim: Equatable, Sendable {
    case change(Change)
    /// The text is to be this one again, whatever it is then. Found beside the room: the change from the text that
    /// the aim was last looked at in.
    case restore(Text, found: Change?)
}
