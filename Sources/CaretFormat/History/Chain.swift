package import CaretCore
package import CaretLog

/// A hash chain over the revisions of a document. It reveals any difference between what was written and what
/// is read.
package struct Chain: Equatable {
    package let value: Digest

    /// The chain of a document without revisions. It starts from the document's own part of the epoch,
    /// because a new generation does not change the history.
    package init(of epoch: Epoch) {
        value = SHA256.digest(of: withUnsafeBytes(of: epoch.document.littleEndian) { Array($0) })
    }

    package init(_ value: Digest) { self.value = value }

    /// The chain after these changes. The first change made the revision `first`.
    package func extended(by changes: ArraySlice<LoggedChange>, from first: Revision) -> Chain {
        var (value, form) = (value, CanonicalForm())
        for (index, change) in changes.enumerated() {
            form.write(change, at: Revision(first.value + index))
            var sum = SHA256()
            sum.update(value)
            sum.update(form.bytes)
            value = sum.digest()
        }
        return Chain(value)
    }
}

extension Digest {
    /// Returns nil if there are not exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
    }
}
