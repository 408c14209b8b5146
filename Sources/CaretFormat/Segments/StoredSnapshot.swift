package import CaretCore
package import CaretLog

/// A row of `snapshot`.
package struct StoredSnapshot {
    package let document: DocumentID
    /// The document's part of the epoch of the history that the text belongs to.
    package let epoch: UInt64
    package let revision: Revision
    package let body: [UInt8]
    /// The digest of the text's UTF-8.
    package let digest: Digest
    package let chain: Chain

    package init(
        document: DocumentID, epoch: UInt64, revision: Revision, body: [UInt8], digest: Digest, chain: Chain
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.body = body
        self.digest = digest
        self.chain = chain
    }

    /// Encodes a text whose chain was checked.
    package init(_ checked: CheckedText, of entry: DocumentEntry) {
        (document, epoch) = (entry.id, entry.epoch.document)
        revision = checked.snapshot.revision
        chain = checked.chain
        (body, digest) = SnapshotFormat.encoded(checked.snapshot.text)
    }

    /// Nil if the bytes are not a text, or do not match the digest.
    package var text: TextBuffer? { SnapshotFormat.decoded(body, digest: digest) }
}
