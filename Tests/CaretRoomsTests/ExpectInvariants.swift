import CaretRooms
import Testing

/// Records that a law of a state is broken, behind the event that broke it.
func expectInvariants(_ check: () throws(BrokenInvariant) -> Void) {
    do { try check() } catch { Issue.record(error) }
}
