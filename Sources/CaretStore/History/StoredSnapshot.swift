import CaretCore
import CaretLog

/// A row of `snapshot`.
package struct StoredSnapshot {
    static let columns = "revision, body, digest, chain"

    let document: DocumentID
    let revision: Revision
    let body: [UInt8]
    /// The digest of the text's UTF-8.
    let digest: Digest
    let chain: Chain

    /// Encodes a text whose chain was checked.
    init(_ checked: HistoryReader.CheckedText, of document: DocumentID) {
        self.document = document
        revision = checked.snapshot.revision
        chain = checked.chain
        (body, digest) = SnapshotFormat.encoded(checked.snapshot.text)
    }

    /// Nil if the row is damaged.
    init?(_ row: Row, of document: DocumentID) {
        guard let digest = Digest(bytes: row.bytes(2)), let chain = Digest(bytes: row.bytes(3)) else {
            return nil
        }
        self.document = document
        revision = Revision(Int(row.integer(0)))
        body = row.bytes(1)
        self.digest = digest
        self.chain = Chain(chain)
    }

    /// Nil if the bytes are not a text, or do not match the digest.
    var text: TextBuffer? { SnapshotFormat.decoded(body, digest: digest) }
}
