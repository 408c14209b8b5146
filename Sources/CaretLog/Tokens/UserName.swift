/// The name of a token's user. A user's name follows the rules for names of documents.
package struct UserName: Hashable, Sendable {
    package let bytes: ByteString

    package init(_ string: String) throws(DocumentName.Fault) { bytes = try DocumentName(string).bytes }
}
