import CaretLog
import CaretWire

/// The claims of a signed token, with the rules that need no clock. Unknown claims are ignored (RFC 7519, section 4).
struct TokenClaims {
    let user: UserName
    let audiences: [WireString]
    /// Times are in seconds.
    let issued: Int64
    let expires: Int64
    let notBefore: Int64?
    let id: ByteString?
    let name: WireString?
    let color: WireString?
    let grants: Grants

    init(_ bytes: [UInt8]) throws(SignedTokenFault) {
        let members = try TokenMembers(bytes, of: .claims)
        user = try TokenClaims.user(in: members)
        audiences = try TokenClaims.audiences(in: members)
        issued = try members.seconds("iat")
        expires = try members.seconds("exp")
        notBefore = try members.seconds(optional: "nbf")
        id = try TokenClaims.id(in: members)
        name = try TokenClaims.name(in: members)
        color = try TokenClaims.color(in: members)
        grants = try TokenGrants(members.value("caret")).grants
    }

    private static func user(in members: TokenMembers) throws(SignedTokenFault) -> UserName {
        let subject = try members.string("sub")
        let user: UserName
        do throws(DocumentName.Fault) { user = try UserName(subject.string) } catch { throw .badUser(error) }
        if user.bytes == "anonymous" { throw .anonymous }
        return user
    }

    /// A string or a list of strings (RFC 7519, section 4.1.3).
    private static func audiences(in members: TokenMembers) throws(SignedTokenFault) -> [WireString] {
        guard let value = members.value("aud") else { throw .missing(.claims, "aud") }
        guard let audiences = value.string.map({ [$0] }) ?? value.strings else {
            throw members.wrongType("aud", "a string or a list of strings")
        }
        return audiences
    }

    private static func id(in members: TokenMembers) throws(SignedTokenFault) -> ByteString? {
        guard let id = try members.string(optional: "jti") else { return nil }
        let bytes = Array(id.utf8)
        guard (1...TokenRules.longestID).contains(bytes.count) else { throw .idLength(bytes: bytes.count) }
        return ByteString(utf8: bytes)
    }

    /// An empty name is no name, because some backends send one for a user without a name.
    private static func name(in members: TokenMembers) throws(SignedTokenFault) -> WireString? {
        guard let name = try members.string(optional: "name"), !name.utf8.isEmpty else { return nil }
        let scalars = name.string.unicodeScalars
        guard scalars.count <= TokenRules.longestName else { throw .longName(scalars: scalars.count) }
        guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .controlInName
        }
        return name
    }

    /// The colors that the page shows: `#` and three or six digits in base 16.
    private static func color(in members: TokenMembers) throws(SignedTokenFault) -> WireString? {
        guard let color = try members.string(optional: "color") else { return nil }
        let digits = color.utf8.dropFirst()
        let isColor =
            color.utf8.first == UInt8(ascii: "#") && [3, 6].contains(digits.count)
            && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard isColor else { throw .badColor(color) }
        return color
    }
}
