import CaretCore
import CaretLog

/// A row of `snapshot`.
package struct StoredSnapshot {
    static let columns = "revision, body, digest, chain"

    let document: DocumentID
    /// The document's part of the epoch of the history that the text belongs to.
    let epoch: UInt64
    let revision: Revision
    let body: [UInt8]
    /// The digest of the text's UTF-8.
    let digest: Digest
    let chain: Chain

    /// Encodes a text whose chain was checked.
    init(_ checked: HistoryReader.CheckedText, of entry: DocumentEntry) {
        (document, epoch) = (entry.id, entry.epoch.document)
        revision = checked.snapshot.revision
        chain = checked.chain
        (body, digest) = SnapshotFormat.encoded(checked.snapshot.text)
    }

    /// Nil if the row is damaged.
    init?(_ row: Row, of entry: DocumentEntry) {
        guard let digest = Digest(bytes: row.bytes(2)), let chain = Digest(bytes: row.bytes(3)) else {
            return nil
        }
        (document, epoch) = (entry.id, entry.epoch.document)
        revision = Revision(Int(row.integer(0)))
        body = row.bytes(1)
        self.digest = digest
        self.chain = Chain(chain)
    }

    /// Nil if the bytes are not a text, or do not match the digest.
    var text: TextBuffer? { SnapshotFormat.decoded(body, digest: digest) }
}
