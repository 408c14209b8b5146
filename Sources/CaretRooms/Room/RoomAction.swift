package import CaretCore
package import CaretLog

/// What a room wants done. Whoever runs it answers with the event that each names.
///
/// What is large lies elsewhere: most actions by far are lines to send, and they are moved about in lists.
package enum RoomAction: Equatable, Sendable {
    /// A line for a session, or for whoever pushed as it, behind all lines that it was sent before; or several, of
    /// which each is a change or an ack. Answered by `written`, as its connection takes them.
    case send(SessionID, [UInt8])
    /// Answered by `appended`.
    indirect case append(Append)
    /// To be appended under the store's lock, as `SegmentPlan.changes(behind:)` says. Answered by `appendedLocked`.
    indirect case appendLocked(Append, SegmentPlan)
    /// Answered by `pusherFound`.
    indirect case lookUp(Pusher)
    /// The revisions after this one are wanted, for whatever waits. Answered by `historyRead`.
    case read(after: Revision)
    /// The text at a revision that the room does not have. Answered by `textRead`.
    case readText(Revision)
    /// The document as it is now. Answered by `reloaded` or `reloadFailed`.
    case reload
    /// A client knows this revision of the epoch, which is beyond the head: the store was put back to an older state.
    /// Answered by `epochsRenewed`.
    case renewEpochs(known: Revision)
    /// Work that may take long, to be done beside the room. Answered by `computed`.
    indirect case compute(WorkID, Work)
    /// What the text at a revision adds up to, to be found beside the room. Answered by `summed`.
    indirect case sum(Text, at: Revision)
    /// Answered by `renamed`.
    indirect case rename(to: DocumentName)
    /// Answered by `deleted`.
    case delete
    /// Answered by `timePassed`, once it is that late.
    case wake(at: Int64)
    /// The session is no more. What it is sent yet answers a push of its own.
    case ended(SessionID)
    /// To the hub: of the pushes of this connection that were waited for none is under way.
    case pushesSettled(ConnectionID)
    /// The session is so slow that it holds up what is remembered for it: its connection is to be closed, with
    /// `too_slow`.
    case cut(SessionID)
    /// A session says that its text at a revision is not what `check` said; it is ended. For whoever runs the server.
    case diverged(SessionID, Revision)
    /// Nobody needs the room: it may be dropped while it is idle.
    case unload
}

/// Which piece of work.
package struct WorkID: Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }
}

/// Work on values alone, which may take long.
package enum Work: Equatable, Sendable {
    /// The difference of two texts, with at most so many edits.
    case diff(from: Text, to: Text, atMost: Int)
    /// A change moved over changes, one after the other.
    case rebase(Change, over: [Change])

    /// What comes of it: the same wherever and whenever it is done.
    package func done() -> Change {
        switch self {
        case .diff(let old, let new, let most):
            CaretCore.diff(from: old, to: new).joined(making: new, atMost: most)
        case .rebase(let change, let others): change.rebased(over: others, tie: .otherFirst)
        }
    }
}
