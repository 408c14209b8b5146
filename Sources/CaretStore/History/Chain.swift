import CaretCore
import CaretLog

/// The hash that is chained over the revisions of a document: what was stored is what is read, or it is found out.
struct Chain: Equatable {
    private(set) var value: Digest

    /// The chain of a document without revisions.
    init(of epoch: Epoch) {
        let words = [epoch.generation, epoch.document].map(\.littleEndian)
        value = SHA256.digest(of: words.withUnsafeBytes { Array($0) })
    }

    init(_ value: Digest) { self.value = value }

    mutating func extend(by change: LoggedChange, at revision: Revision) {
        value = SHA256.digest(of: value.bytes + CanonicalForm(change, at: revision).bytes)
    }

    mutating func extend(by segment: Segment) {
        for (index, change) in segment.changes.enumerated() {
            extend(by: change, at: Revision(segment.first.value + index))
        }
    }
}

extension Digest {
    /// The digest that these bytes are; nil unless there are 32 of them.
    init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) })
    }
}
