package import CaretCore
package import CaretLog

/// What a room wants done.
///
/// Large values are stored elsewhere: most actions by far are lines to send, and they are moved about in lists.
package enum RoomAction: Equatable, Sendable {
    /// To a session, or to a guest who pushed, after everything that it was sent before. Answered by `written`, as its
    /// connection takes the bytes.
    case send(SessionID, RoomOutput)
    /// Answered by `answered`.
    indirect case call(CallID, StoreCall)
    /// Work that may take long, to be done in the background. Answered by `computed`.
    indirect case compute(WorkID, Work)
    /// Answered by `timePassed`, once it is that late.
    case wake(at: Int64)
    /// For the hub and the session's connection: the session is no more. What it is still sent answers its own pushes.
    case ended(SessionID)
    /// For the session's connection: it is so slow that the room would have to remember too much for it. The connection
    /// is to be closed with `too_slow`.
    case cut(SessionID)
    /// For the log: a session says that its text at a revision is not what `check` said. The session is ended.
    case diverged(SessionID, Revision)
    indirect case notifyHub(RoomNotice)
}

/// Lines for a session, and what their connection must know about them.
package struct RoomOutput: Equatable, Sendable {
    package enum Kind: Sendable {
        /// Answers and news; or several lines, each of them a change or an ack.
        case stream
        /// The rights of the session have changed.
        case rights
        /// The session is closed, as its client asked.
        case closed
        /// The session cannot be closed, because it had ended before.
        case closeRefused
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
}

/// What a room tells the hub.
package enum RoomNotice: Equatable, Sendable {
    /// Of the pushes of this connection that were waited for, none is under way.
    case pushesSettled(ConnectionID)
    /// The store's answer to a `rename` that the hub has asked for.
    case renamed(DocumentName, Renaming)
    /// The store's answer to a `delete` that the hub has asked for; nil if the document was deleted.
    case deleted(StoreRefusal?)
    /// The store has renewed the epochs of all documents.
    case epochsRenewed
    /// Nobody needs the room: it may be dropped while it is idle.
    case unloadOffered
}

/// Names a piece of work, for its result.
package struct WorkID: Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }
}

/// Work on values alone, which may take long.
package enum Work: Equatable, Sendable {
    case change(ChangeWork)
    /// The CRC-32 of a text's UTF-8, which the room has no library for.
    case checksum(Text)

    /// The result, which is the same wherever and whenever the work is done.
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

/// Work that makes a change.
package enum ChangeWork: Equatable, Sendable {
    /// The difference of two texts, with at most so many edits.
    case diff(from: Text, to: Text, atMost: Int)
    /// A change moved over changes, one after the other.
    case rebase(Change, over: [Change])

    package func done() -> Change {
        switch self {
        case .diff(let old, let new, let most):
            CaretCore.diff(from: old, to: new).joined(making: new, atMost: most)
        case .rebase(let change, let others): change.rebased(over: others, tie: .otherFirst)
        }
    }
}
