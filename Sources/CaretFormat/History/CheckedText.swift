package import CaretLog

/// A text with the chain value of its revision.
package struct CheckedText {
    package var snapshot: Snapshot
    package var chain: Chain

    package init(snapshot: Snapshot, chain: Chain) {
        self.snapshot = snapshot
        self.chain = chain
    }
}
