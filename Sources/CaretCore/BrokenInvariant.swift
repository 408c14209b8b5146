/// A broken invariant of a state machine.
///
/// Each state machine has a method `checkInvariants`. Simulations and tests call this method after every
/// event. So they report a fault at the event that caused it.
package struct BrokenInvariant: Error, Equatable, CustomStringConvertible {
    package let law: String

    package init(law: String) { self.law = law }

    package var description: String { "broken invariant: \(law)" }

    package static func check(_ law: String, _ holds: Bool) throws(BrokenInvariant) {
        if !holds { throw BrokenInvariant(law: law) }
    }
}
