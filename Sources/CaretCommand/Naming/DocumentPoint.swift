/// A document at a revision, as users write it: `notes/today`, `notes/today@900`, `notes/today@2h`.
///
/// The revision begins after the last `@`. A name that contains `@` needs another `@` at its end:
/// `ann@home@`.
package struct DocumentPoint: Equatable, Sendable {
    let document: String
    let revision: RevisionName

    package enum Fault: Error, Equatable {
        case noName
        case noRevision(String)
    }

    package init(document: String, revision: RevisionName) {
        self.document = document
        self.revision = revision
    }

    package init(_ text: String) throws(Fault) {
        let sign = text.utf8.lastIndex(of: UInt8(ascii: "@"))
        document = sign.map { String(text[..<$0]) } ?? text
        if document.utf8.isEmpty { throw .noName }
        let rest = sign.map { String(text[text.utf8.index(after: $0)...]) } ?? ""
        guard let revision = RevisionName(rest) else { throw .noRevision(rest) }
        self.revision = revision
    }
}

extension Arguments {
    /// Parses an argument with a document and an optional revision.
    func point(_ index: Int) throws(UsageFault) -> DocumentPoint { try point(required(index)) }

    func point(_ text: String) throws(UsageFault) -> DocumentPoint {
        do throws(DocumentPoint.Fault) {
            return try DocumentPoint(text)
        } catch {
            throw self.fault(.badValue("DOC", found: text, expected: error.expected))
        }
    }

    /// Parses an argument with a document and no revision.
    func document(_ index: Int) throws(UsageFault) -> String {
        let point = try point(index)
        if point.revision == .head { return point.document }
        throw fault(.badValue("DOC", found: required(index), expected: "a document without a revision"))
    }
}

extension DocumentPoint.Fault {
    fileprivate var expected: String {
        switch self {
        case .noName: "a name before the @"
        case .noRevision: RevisionName.expected + "; if the name contains an @, add another @ at its end"
        }
    }
}
