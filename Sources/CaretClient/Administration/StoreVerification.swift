import CaretWire

/// What a server found when it checked its store.
public struct StoreVerification: Equatable, Sendable {
    /// A piece of stored data that differs from what was written.
    public struct Finding: Equatable, Sendable {
        /// The number of the document. Nil if the data belongs to no document, or if the document is not
        /// known.
        public let number: Int?
        public let document: String?
        public let message: String
    }

    public let documents: Int
    public let revisions: Int
    /// The first 1,000 findings, or fewer if 1,000 do not fit into one answer.
    public let findings: [Finding]
    /// Whether there were more findings than `findings` contains.
    public let hasMore: Bool

    public var isSound: Bool { findings.isEmpty }

    init(_ answer: Verified) {
        documents = answer.documents
        revisions = answer.revisions
        hasMore = answer.hasMore
        findings = answer.findings.map {
            Finding(number: $0.number, document: $0.document?.string, message: $0.message.string)
        }
    }
}
