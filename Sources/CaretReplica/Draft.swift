package import CaretCore

/// A committed text, and on top of it what its owner changed and nobody has acked yet.
///
/// Law: `text` is `committed` after `inFlight` and then `unsent`. Every method that moves the committed text answers
/// with the change that does the same to `text`.
package struct Draft: Equatable, Sendable {
    package private(set) var committed = Text()
    /// The change in flight as it reads after everything committed so far; none is the empty change.
    package private(set) var inFlight = Change()
    package private(set) var unsent = Change()
    /// What the owner sees.
    package private(set) var text = Text()

    package init() {}

    /// Throws where the parts do not fit each other.
    package init(_ keepsake: Keepsake) throws(ChangeError) {
        committed = keepsake.committed
        inFlight = keepsake.inFlight
        unsent = keepsake.unsent
        text = try committed.applying(inFlight).applying(unsent)
    }

    package var hasUnsaved: Bool { !inFlight.isEmpty || !unsent.isEmpty }

    /// Takes in a change that the owner made to `text`.
    package mutating func type(_ change: Change) throws(ChangeError) {
        try text.apply(change)
        unsent = unsent.followed(by: change)
    }

    /// The unsent change is in flight from here on.
    package mutating func send() {
        precondition(inFlight.isEmpty, "a second change goes in flight")
        inFlight = unsent
        unsent = Change()
    }

    /// The change in flight was not committed, and counts as unsent again.
    package mutating func takeBack() {
        unsent = inFlight.followed(by: unsent)
        inFlight = Change()
    }

    /// The change in flight was committed as it reads here.
    package mutating func accept() {
        committed.make(inFlight)
        inFlight = Change()
    }

    /// Takes in a committed change, which leaves everything as it is where it does not fit the committed text.
    package mutating func advance(by change: Change) throws(ChangeError) -> Change {
        try committed.apply(change)
        let pastInFlight = change.rebased(over: inFlight, tie: .selfFirst)
        inFlight = inFlight.rebased(over: change, tie: .otherFirst)
        let inView = pastInFlight.rebased(over: unsent, tie: .selfFirst)
        unsent = unsent.rebased(over: pastInFlight, tie: .otherFirst)
        text.make(inView)
        return inView
    }

    /// The committed text gives way to another one, which differs by this and does not hold the change in flight yet.
    package mutating func replaceCommitted(by difference: Change) -> Change {
        do throws(ChangeError) {
            return try advance(by: difference)
        } catch {
            preconditionFailure("the difference of two texts does not fit the first")
        }
    }

    /// The committed text is `target` from here on, and what came of the change in flight is in it.
    package mutating func settle(in target: Text) -> Change {
        accept()
        return replaceCommitted(by: diff(from: committed, to: target))
    }

    /// Takes back everything that is not committed.
    package mutating func discard() -> Change {
        let change = undone(inFlight.followed(by: unsent))
        text = committed
        inFlight = Change()
        unsent = Change()
        return change
    }

    private func undone(_ unsaved: Change) -> Change {
        do throws(ChangeError) {
            return try unsaved.inverted(in: committed)
        } catch {
            preconditionFailure("the unsaved edits of a draft do not fit its committed text")
        }
    }
}

extension Change {
    /// Both changes in one; the second was made against the outcome of the first.
    func followed(by next: Change) -> Change {
        do throws(ChangeError) {
            return try composed(with: next)
        } catch {
            preconditionFailure("a change was made against another text than the one it follows")
        }
    }
}

extension Text {
    /// Makes a change that was moved here from a text it fitted.
    fileprivate mutating func make(_ change: Change) {
        do throws(ChangeError) {
            try apply(change)
        } catch {
            preconditionFailure("a rebased change does not fit the text it was moved to")
        }
    }
}
