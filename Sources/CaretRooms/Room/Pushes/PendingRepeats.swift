import CaretCore
import CaretLog

/// A repeat of a committed push. It waits until the store has returned the committed change.
struct PendingRepeat: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case needsChange
        /// The first read did not contain the revision, so it is read again.
        case needsChangeAgain
        /// The change is nil if a trim has removed it. Its text may still be there, as the one at the start.
        case needsText(LoggedChange?)
    }

    let push: RoomPush
    /// The revision of the push.
    let revision: Revision
    var stage = Stage.needsChange

    var needsChange: Bool {
        switch stage {
        case .needsChange, .needsChangeAgain: true
        case .needsText: false
        }
    }
}

/// The repeats that wait for the store.
package struct PendingRepeats: Sendable {
    private var repeats: [PendingRepeat] = []

    package var isEmpty: Bool { repeats.isEmpty }

    func owesAnswer(to session: SessionID) -> Bool { repeats.contains { $0.push.session == session } }

    mutating func add(_ one: PendingRepeat) { repeats.append(one) }

    mutating func remove(where holds: (PendingRepeat) -> Bool) -> [PendingRepeat] {
        let taken = repeats.filter(holds)
        repeats.removeAll(where: holds)
        return taken
    }

    mutating func takeAll() -> [PendingRepeat] {
        defer { repeats = [] }
        return repeats
    }
}
