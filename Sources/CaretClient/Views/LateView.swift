package import CaretCore

/// The text of a view that shows changes later than the document, because it belongs to another process.
///
/// The user may change the view before a change of the document arrives there. The view then drops the change that
/// arrives, because that change is made for another text. Both sides count what they have sent and received, so both
/// notice this, and this value makes another change that fits. The view itself never has to rebase anything. At most one
/// change is on its way to the view, so a slow view costs no memory.
package struct LateView: Sendable {
    /// A change on its way to the view. The view must drop the change unless it has sent exactly `after` changes.
    package struct Update: Equatable, Sendable {
        package let number: Int
        package let after: Int
        package let change: Change
    }

    /// The text of the view after all changes that arrived from it, and without `update`.
    package private(set) var text: TextBuffer
    /// The change that the view has not answered yet.
    package private(set) var update: Update?
    /// The number of the last change that was sent to the view.
    package private(set) var lastNumber = 0
    /// How many changes have arrived from the view.
    package private(set) var arrived = 0

    package init(_ text: TextBuffer) { self.text = text }

    /// The view has applied all changes up to this number.
    package mutating func applied(_ number: Int) throws(ChangeError) {
        guard let update, update.number <= number else { return }
        text = try text.applying(update.change)
        self.update = nil
    }

    /// Sends what the view lacks. The last change must have been answered.
    package mutating func show(_ missing: Change) -> Update? {
        precondition(update == nil, "a view gets one change at a time")
        return send(missing)
    }

    /// Handles a change of the user, who had seen the changes up to the number `seen`. The document cannot have
    /// everything that the view has: `correction` turns the view's new text into one that it can have. `type` enters
    /// the corrected change into the document, and returns what the view lacks after that. Returns the next change for
    /// the view.
    package mutating func entered(
        _ change: Change, correction: Change = Change(), seen: Int, type: (Change) throws -> Change
    ) throws -> Update? {
        try applied(seen)
        let new = try text.applying(change)
        let corrected = try change.composed(with: correction)
        let dropped = update?.change ?? Change()
        let missing = try type(corrected.rebased(over: dropped, tie: .otherFirst))
        let rest = try correction.composed(with: dropped.rebased(over: corrected, tie: .selfFirst))
            .composed(with: missing)
        text = new
        arrived += 1
        update = nil
        return send(rest)
    }

    /// Where the user's selections are after the change that is on its way.
    package func mapped(_ selections: [Selection]) -> [Selection] {
        guard let update else { return selections }
        return selections.map { $0.mapped(through: update.change) }
    }

    private mutating func send(_ change: Change) -> Update? {
        if change.isEmpty { return nil }
        lastNumber += 1
        update = Update(number: lastNumber, after: arrived, change: change)
        return update
    }
}
