/// The name of somebody who has a token: what is a name of a document is one of a user.
package struct UserName: Hashable, Sendable {
    package let bytes: ByteString

    package init(_ string: String) throws(DocumentName.Fault) { bytes = try DocumentName(string).bytes }
}
