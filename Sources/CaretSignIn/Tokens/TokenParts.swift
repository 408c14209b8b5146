/// The three parts of a signed token (RFC 7515, section 7.1), decoded.
struct TokenParts {
    let header: [UInt8]
    let claims: [UInt8]
    let signature: [UInt8]
    /// The bytes that are signed: the token up to its last point.
    let signed: ArraySlice<UInt8>

    init(_ token: [UInt8]) throws(SignedTokenFault) {
        guard token.count <= TokenRules.longestToken else { throw .tooLong(bytes: token.count) }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .parts(parts.count) }
        header = try TokenParts.decode(parts[0], .header)
        claims = try TokenParts.decode(parts[1], .claims)
        signature = try TokenParts.decode(parts[2], .signature)
        signed = token[..<parts[1].endIndex]
    }

    private static func decode(
        _ text: ArraySlice<UInt8>, _ part: SignedTokenFault.Part
    ) throws(SignedTokenFault) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw .notBase64(part) }
        return bytes
    }
}
