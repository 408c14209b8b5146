import CaretCore
import CaretLog

/// The hash that is chained over the revisions of a document: what was stored is what is read, or it is found out.
struct Chain: Equatable {
    let value: Digest

    /// The chain of a document without revisions: of the document's own part of the epoch, since a new generation
    /// leaves its history as it is.
    init(of epoch: Epoch) {
        value = SHA256.digest(of: withUnsafeBytes(of: epoch.document.littleEndian) { Array($0) })
    }

    init(_ value: Digest) { self.value = value }

    /// The chain behind these changes, of which the first made the revision `first`.
    func extended(by changes: ArraySlice<LoggedChange>, from first: Revision) -> Chain {
        var (value, form) = (value, CanonicalForm())
        for (index, change) in changes.enumerated() {
            form.write(change, at: Revision(first.value + index))
            var sum = SHA256()
            sum.take(value)
            sum.take(form.bytes)
            value = sum.digest()
        }
        return Chain(value)
    }
}

extension Digest {
    /// The digest that these bytes are; nil unless there are 32 of them.
    init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
    }
}
