import CaretCore
import Testing

/// Records a broken invariant as a test failure. Called after each event.
func expectInvariants(_ check: () throws(BrokenInvariant) -> Void) {
    do { try check() } catch { Issue.record(error) }
}
