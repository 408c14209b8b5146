/// The name of a token's user. A user's name follows the rules for names of documents.
package struct UserName: Hashable, Sendable {
    package let bytes: ByteString

    package init(_ string: String) throws(DocumentName.Fault) { bytes = try DocumentName(string).bytes }

    private init(valid bytes: ByteString) { self.bytes = bytes }
}

/// The users of links to a document. Their names are `link/`, the number of the document, `/`, and the number of
/// the token.
extension UserName {
    private static let linkStart: ByteString = "link/"

    package static func ofLink(_ token: TokenID, to document: DocumentID) -> UserName {
        UserName(valid: ByteString("\(linkStart)\(document.value)/\(token.value)"))
    }

    /// The names of all users of links to a document are in this range.
    package static func ofLinks(to document: DocumentID) -> Range<ByteString> {
        // 0 is the character after the slash.
        ByteString("\(linkStart)\(document.value)/")..<ByteString("\(linkStart)\(document.value)0")
    }

    package static func isOfLink(_ user: ByteString) -> Bool { user.hasPrefix(linkStart) }
}
