package import CaretCore
package import CaretLog
package import CaretWire

/// An event that a room handles.
///
/// Large payloads are stored by reference. Nearly all events are the small `written`, and lists of events are
/// moved around often.
package enum RoomEvent: Equatable, Sendable {
    // Events from the hub:
    /// Opens the document for a session. If the room refuses, it sends an error and ends the session.
    indirect case open(RoomOpening)
    case rightsChanged(SessionID, Rights)
    /// The room notifies the hub with `renamed` once the store has answered. If the room refuses the order
    /// itself, it sends no notice.
    indirect case rename(to: DocumentName, RoomOrder)
    /// The room notifies the hub with `deleted` once the store has answered. If the room refuses the order
    /// itself, it sends no notice.
    indirect case delete(RoomOrder)
    /// Removes a passage from the whole history. The room notifies the hub with `redacted` once the store has
    /// answered. If the room refuses the order itself, it sends no notice.
    indirect case redact(Redaction, RoomOrder)
    /// The store has renewed the epochs of all documents.
    case renewed
    /// The history before this revision was trimmed.
    case trimmed(start: Revision)
    /// Another server says that the store has at least this revision. The hint may be late, repeated or
    /// wrong, or may not come at all.
    case storeHead(Revision)
    /// The hub begins to append a revision itself, or has ended. Meanwhile the store may have a revision that the room
    /// lacks.
    case hubAppends(Bool)
    /// Notes of the document have changed, or may have.
    case notesChanged
    /// Another server has renamed the document. Only `readers` may learn the new name.
    indirect case nowCalled(DocumentName, readers: [SessionID])
    /// An event of the bus that concerns sessions at other servers, or this room's own.
    indirect case bus(BusEvent)
    /// The session's connection has ended. The room answers with `ended`, even if it does not know the
    /// session.
    case leave(SessionID)
    /// Asks the room to wait for the pushes of this pusher. The room answers with `pushesResolved` once it
    /// has committed or refused every earlier push.
    indirect case awaitPushes(of: Pusher, for: ConnectionID)

    // An event from the session's connection, or from the hub if the connection does not have the document
    // open:
    indirect case push(RoomPush)

    // Events from the session's connection:
    indirect case select(SessionID, Select, RequestID?)
    case close(SessionID, RequestID?)
    case diverged(SessionID, Revision)
    case written(SessionID, bytes: Int)

    // Events from the runner:
    indirect case answered(CallID, StoreAnswer)
    indirect case computed(WorkID, WorkResult)
    indirect case encoded(TextVersion, EncodedText)
    /// The time of a wait that the room began with `waitForPushes` has passed. The runner may also send this
    /// event at any other time.
    case waitEnded
    /// The time that the room requested with `wake` has come. The runner may also send this event at any
    /// other time.
    case timePassed
}
