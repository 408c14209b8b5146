import CaretCore
import CaretLog

/// A repeat of a committed push that waits for the store to return that push.
struct PendingRepeat: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case needsChange
        /// The first answer was older than the revision.
        case needsChangeAgain
        case needsText(LoggedChange)
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

    mutating func take(where holds: (PendingRepeat) -> Bool) -> [PendingRepeat] {
        if repeats.isEmpty { return [] }
        let taken = repeats.filter(holds)
        repeats.removeAll(where: holds)
        return taken
    }

    mutating func takeAll() -> [PendingRepeat] {
        defer { repeats = [] }
        return repeats
    }
}
