package import CaretCore
package import CaretLog

/// An action that a room returns for its caller to run.
///
/// Large payloads are stored by reference. Nearly all actions are lines to send, and lists of actions are
/// moved around often.
package enum RoomAction: Equatable, Sendable {
    /// Send lines to a session, after everything sent before. The session may be the `sessionless` id of a
    /// connection that pushed without opening the document. The connection reports delivered bytes with
    /// `written`.
    case send(SessionID, RoomOutput)
    /// The same as `send`, for a line with the whole text, if the text is long.
    indirect case sendText(SessionID, TextLine)
    /// Encode the text of this version in the background. The room receives the result as `encoded`.
    indirect case encode(TextBuffer, TextVersion)
    /// Call the store. The room receives the answer as `answered`.
    indirect case call(CallID, StoreCall)
    /// Run work that may take long in the background. The room receives the result as `computed`.
    indirect case compute(WorkID, Work)
    /// Send the room `timePassed` at this time.
    case wake(at: Int64)
    /// The room waits for more pushes. Send it `waitEnded` after some hundred microseconds, or after some milliseconds
    /// if the wait is long.
    case waitForPushes(isLong: Bool)
    /// Inform the hub and the session's connection that the session has ended. After this, the room sends the
    /// session only answers to its pushes.
    case ended(SessionID)
    /// Close the session's connection with `too_slow`. The session reads so slowly that the room would have
    /// to keep too much data for it.
    case disconnect(SessionID)
    /// Write to the server's log: a session reports that its text does not match a `check`. The room has
    /// ended the session.
    case diverged(SessionID, Revision)
    indirect case notifyHub(RoomNotice)
    /// Publish a notification to the other servers over the same store.
    indirect case publish(PeerNotification)
}

/// Lines for a session, and their kind, which the session's connection needs to know.
package struct RoomOutput: Equatable, Sendable {
    package enum Kind: Sendable {
        /// Any other output: one answer or message, or several lines that are all changes, acks or presence.
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
    /// A request of this connection waited for pushes, and all of these pushes are resolved now.
    case pushesResolved(ConnectionID)
    /// The store's answer to a `rename` that the hub requested.
    case renamed(DocumentName, RenameResult)
    /// The store's answer to a `delete` that the hub requested. The refusal is nil if the document was
    /// deleted.
    case deleted(StoreRefusal?)
    /// The store's answer to a `redact` that the hub requested: the epoch of the document now, or nil if the
    /// store refused the redaction.
    case redacted(Epoch?)
    /// The store has renewed the epochs of all documents.
    case epochsRenewed
    /// The room is idle. The hub may drop it as long as it stays idle.
    case unloadOffered
}

/// Identifies a piece of background work. Its result has the same id.
package struct WorkID: Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }
}

/// A computation that may take long.
package enum Work: Equatable, Sendable {
    case change(ChangeWork)
    /// The CRC-32 of a text's UTF-8. The caller supplies the function, because this module has none.
    case checksum(TextBuffer)

    /// Does the work. This is a pure function, so it may run on any thread.
    package func done(checksum: (TextBuffer) -> UInt32) -> WorkResult {
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
    /// The difference between two texts, with at most this many edits.
    case diff(from: TextBuffer, to: TextBuffer, atMost: Int)
    /// Rebases a change over several successive changes.
    case rebase(Change, over: [Change])
    /// Rebases a change over several successive changes of the log, which must be valid changes.
    case rebaseOverLog(Change, [LoggedChange])

    package func done() -> Change {
        switch self {
        case .diff(let old, let new, let most):
            CaretCore.diff(from: old, to: new).joined(making: new, atMost: most)
        case .rebase(let change, let others): change.rebased(over: others, tie: .otherFirst)
        case .rebaseOverLog(let change, let logged): ChangeWork.rebased(change, over: logged)
        }
    }

    private static func rebased(_ change: Change, over logged: [LoggedChange]) -> Change {
        var rebase = LogRebase(change)
        for logged in logged {
            do throws(ChangeError) {
                try rebase.rebase(over: logged)
            } catch {
                preconditionFailure("a change of the log was not checked: \(error)")
            }
        }
        return rebase.result
    }
}
