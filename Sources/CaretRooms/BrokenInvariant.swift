/// A law of a state that does not hold.
///
/// Each state machine has a method `checkInvariants`, which says what must hold behind every event. Simulations and tests call it
/// after each, so that a fault shows where it was made.
package struct BrokenInvariant: Error, Equatable, CustomStringConvertible {
    package let law: String

    package var description: String { "this does not hold: \(law)" }

    static func check(_ law: String, _ holds: Bool) throws(BrokenInvariant) {
        if !holds { throw BrokenInvariant(law: law) }
    }
}
