package import CaretCore

/// A committed text, and the user's changes to it that the server has not acked yet.
///
/// Law: `text` is `committed` with `inFlight` and then `unsent` applied. Every method that changes the
/// committed text returns the matching change of `text`.
package struct Draft: Equatable, Sendable {
    package private(set) var committed = TextBuffer()
    /// The change in flight, rebased over all changes committed so far. Empty if no change is in flight.
    package private(set) var inFlight = Change()
    package private(set) var unsent = Change()
    /// The text that the user sees.
    package private(set) var text = TextBuffer()

    package init() {}

    /// Throws if the parts of the saved replica do not fit each other.
    package init(_ savedReplica: SavedReplica) throws(ChangeError) {
        committed = savedReplica.committed
        inFlight = savedReplica.inFlight
        unsent = savedReplica.unsent
        text = try committed.applying(inFlight).applying(unsent)
    }

    package var hasUnsaved: Bool { !inFlight.isEmpty || !unsent.isEmpty }

    /// Applies a change that the user made to `text`.
    package mutating func type(_ change: Change) throws(ChangeError) {
        try text.apply(change)
        unsent = unsent.followed(by: change)
    }

    /// Puts the unsent change in flight.
    package mutating func send() {
        precondition(inFlight.isEmpty, "another change is already in flight")
        inFlight = unsent
        unsent = Change()
    }

    /// Makes the change in flight unsent again, because it was not committed.
    package mutating func moveInFlightToUnsent() {
        unsent = inFlight.followed(by: unsent)
        inFlight = Change()
    }

    /// Applies the change in flight to the committed text, because the server committed exactly this change.
    package mutating func accept() {
        committed.applyRebased(inFlight)
        inFlight = Change()
    }

    /// Applies a committed change, and returns the matching change of `text`. If the change does not fit the
    /// committed text, the method throws and changes nothing.
    package mutating func advance(by change: Change) throws(ChangeError) -> Change {
        try committed.apply(change)
        let pastInFlight = change.rebased(over: inFlight, tie: .selfFirst)
        inFlight = inFlight.rebased(over: change, tie: .otherFirst)
        let inView = pastInFlight.rebased(over: unsent, tie: .selfFirst)
        unsent = unsent.rebased(over: pastInFlight, tie: .otherFirst)
        text.applyRebased(inView)
        return inView
    }

    /// Changes the committed text by `difference`. The new committed text does not contain the change in
    /// flight yet.
    package mutating func replaceCommitted(by difference: Change) -> Change {
        do throws(ChangeError) {
            return try advance(by: difference)
        } catch {
            preconditionFailure("the difference of two texts does not fit the first text")
        }
    }

    /// Replaces the committed text by `target`, which contains the outcome of the change in flight.
    package mutating func resolve(in target: TextBuffer) -> Change {
        accept()
        return replaceCommitted(by: diff(from: committed, to: target))
    }

    /// Drops all edits that are not committed.
    package mutating func discard() -> Change {
        let change = inverse(of: inFlight.followed(by: unsent))
        text = committed
        inFlight = Change()
        unsent = Change()
        return change
    }

    private func inverse(of unsaved: Change) -> Change {
        do throws(ChangeError) {
            return try unsaved.inverted(in: committed)
        } catch {
            preconditionFailure("the unsaved edits of a draft do not fit its committed text")
        }
    }
}

extension Change {
    /// This change and `next` as one change. `next` must be made from the text after this change.
    func followed(by next: Change) -> Change {
        do throws(ChangeError) {
            return try composed(with: next)
        } catch {
            preconditionFailure("a change does not fit the text after the previous change")
        }
    }
}

extension TextBuffer {
    /// Applies a change that fits this text, because it was rebased to it.
    fileprivate mutating func applyRebased(_ change: Change) {
        do throws(ChangeError) {
            try apply(change)
        } catch {
            preconditionFailure("a rebased change does not fit the text to which it was rebased")
        }
    }
}
