/// An invariant of a state machine that does not hold.
///
/// Each state machine has a method `checkInvariants`. Simulations and tests call it after every event, so a fault shows
/// at the event that made it.
package struct BrokenInvariant: Error, Equatable, CustomStringConvertible {
    package let law: String

    package init(law: String) { self.law = law }

    package var description: String { "broken invariant: \(law)" }

    package static func check(_ law: String, _ holds: Bool) throws(BrokenInvariant) {
        if !holds { throw BrokenInvariant(law: law) }
    }
}
