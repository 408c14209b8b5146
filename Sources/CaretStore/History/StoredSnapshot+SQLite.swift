import CaretCore
import CaretFormat
import CaretLog

extension StoredSnapshot {
    static let columns = "revision, body, digest, chain"

    /// Nil if the row is damaged.
    init?(_ row: Row, of entry: DocumentEntry) {
        guard let digest = Digest(bytes: row.bytes(2)), let chain = Digest(bytes: row.bytes(3)) else {
            return nil
        }
        self.init(
            document: entry.id, epoch: entry.epoch.document, revision: Revision(Int(row.integer(0))),
            body: row.bytes(1), digest: digest, chain: Chain(chain))
    }
}

extension Binding {
    mutating func next(_ digest: Digest) { withUnsafeBytes(of: digest.words) { next($0) } }
}
