package import CaretCore
package import CaretLog

/// What a room wants done by others.
///
/// Large values are stored by reference: nearly all actions are lines to send, and actions are moved around
/// in lists.
package enum RoomAction: Equatable, Sendable {
    /// Lines for a session, or for a guest who pushed, after everything sent before. Answered by `written`
    /// when its connection has sent the bytes.
    case send(SessionID, RoomOutput)
    /// Answered by `answered`.
    indirect case call(CallID, StoreCall)
    /// Work that may take long, to be done in the background. Answered by `computed`.
    indirect case compute(WorkID, Work)
    /// Answered by `timePassed` at this time.
    case wake(at: Int64)
    /// For the hub and the session's connection: the session has ended. Only answers to its own pushes still
    /// follow.
    case ended(SessionID)
    /// For the session's connection: the session is so slow that the room would have to remember too much for
    /// it. Close the connection with `too_slow`.
    case cut(SessionID)
    /// For the log: a session reports that its text does not match a `check`. The session has ended.
    case diverged(SessionID, Revision)
    indirect case notifyHub(RoomNotice)
}

/// Lines for a session, and what its connection must know about them.
package struct RoomOutput: Equatable, Sendable {
    package enum Kind: Sendable {
        /// Answers and news, or several lines of which each is a change or an ack.
        case stream
        /// The rights of the session have changed.
        case rights
        /// The session is closed, as its client asked.
        case closed
        /// The session cannot be closed, because it ended earlier.
        case closeRefused
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
}

/// What a room reports to the hub.
package enum RoomNotice: Equatable, Sendable {
    /// The pushes that this connection waited for are all resolved.
    case pushesSettled(ConnectionID)
    /// The store's answer to a `rename` that the hub requested.
    case renamed(DocumentName, Renaming)
    /// The store's answer to a `delete` that the hub requested; nil if the document was deleted.
    case deleted(StoreRefusal?)
    /// The store has renewed the epochs of all documents.
    case epochsRenewed
    /// Nobody needs the room. It may be dropped as long as it is idle.
    case unloadOffered
}

/// Identifies a piece of work, for its result.
package struct WorkID: Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }
}

/// Computations on values that may take long.
package enum Work: Equatable, Sendable {
    case change(ChangeWork)
    /// The CRC-32 of a text's UTF-8. The room has no library for it.
    case checksum(Text)

    /// Does the work. The result does not depend on where and when that happens.
    package func done(checksum: (Text) -> UInt32) -> WorkResult {
        switch self {
        case .change(let work): .change(work.done())
        case .checksum(let text): .checksum(checksum(text))
        }
    }
}

package enum WorkResult: Equatable, Sendable {
    case change(Change)
    case checksum(UInt32)
}

/// Work whose result is a change.
package enum ChangeWork: Equatable, Sendable {
    /// The difference of two texts, with at most so many edits.
    case diff(from: Text, to: Text, atMost: Int)
    /// A change rebased over changes, one after the other.
    case rebase(Change, over: [Change])

    package func done() -> Change {
        switch self {
        case .diff(let old, let new, let most):
            CaretCore.diff(from: old, to: new).joined(making: new, atMost: most)
        case .rebase(let change, let others): change.rebased(over: others, tie: .otherFirst)
        }
    }
}
