import CaretWire

/// What was found when a server read what it keeps.
public struct StoreVerification: Equatable, Sendable {
    /// Something that is not as it was written.
    public struct Finding: Equatable, Sendable {
        /// Nil where it is no document's, or not known whose.
        public let number: Int?
        public let document: String?
        public let message: String
    }

    public let documents: Int
    public let revisions: Int
    /// The first thousand, or as many as fit an answer.
    public let findings: [Finding]
    /// There were more.
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
