package import CaretLog
package import CaretWire

/// Why a signed token is refused.
package enum SignedTokenFault: Error, Equatable, Sendable {
    package enum Part: String, Sendable {
        case header, claims, signature
    }

    // MARK: The form

    case tooLong(bytes: Int)
    /// How many parts the token has. They are separated by points.
    case parts(Int)
    case notBase64(Part)
    case notJSON(Part, reason: String)
    case missing(Part, String)
    case wrongType(Part, String, expected: String)

    // MARK: The header and the signature

    case refusedMember(String)
    case otherType(WireString)
    case otherAlgorithm(WireString, expected: SignatureAlgorithm)
    case noKeyID
    case unknownKey(WireString)
    case signatureLength(bytes: Int, expected: Int)
    case signatureRange
    case wrongSignature

    // MARK: The claims

    case badUser(DocumentName.Fault)
    case anonymous
    case otherAudience(expected: WireString)
    case noLife
    case longLife(seconds: Int64, limit: Int64)
    case issuedAhead(milliseconds: Int64)
    case notYetValid(milliseconds: Int64)
    case idLength(bytes: Int)
    case longName(scalars: Int)
    case controlInName
    case badColor(WireString)
    case unknownRight(WireString)
    case tooManyGrants(Int)
    case longPrefix(bytes: Int)
    case badDocument(WireString, DocumentName.Fault)

    /// The token was valid until this time, in milliseconds since 1970: get another one.
    case ended(at: Int64)
}

extension SignedTokenFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let bytes):
            "the token has \(bytes) bytes; at most \(TokenRules.longestToken) are allowed"
        case .parts(let count): "the token has \(count) parts between points; expected 3"
        case .notBase64(let part): "the \(part) is not base64url without padding"
        case .notJSON(let part, let reason): "the \(part) is not strict JSON: \(reason)"
        case .missing(let part, let name): "\(name) is missing in the \(part)"
        case .wrongType(let part, let name, let expected): "\(name) in the \(part) must be \(expected)"
        case .refusedMember(let name): "the header contains \(name), which is not allowed"
        case .otherType(let type): "typ in the header is \(type.quoted); expected JWT"
        case .otherAlgorithm(let name, let expected):
            "alg in the header is \(name.quoted), but the key is for \(expected.rawValue)"
        case .noKeyID: "kid is missing in the header, and the server has several keys"
        case .unknownKey(let id): "the server has no key with the kid \(id.quoted)"
        case .signatureLength(let bytes, let expected):
            "the signature has \(bytes) bytes; expected \(expected)"
        case .signatureRange: "a number of the signature is 0 or too large for P-256"
        case .wrongSignature: "the signature was not made with the server's key for exactly this token"
        case .badUser(let fault): "sub is no name of a user: it \(fault.problem)"
        case .anonymous: "sub is anonymous, the name of clients without a token; name a user"
        case .otherAudience(let expected): "aud does not contain \(expected.quoted)"
        case .noLife: "exp is not after iat"
        case .longLife(let seconds, let limit):
            "exp is \(seconds) s after iat; at most \(limit) s are allowed"
        case .issuedAhead(let milliseconds): Self.ahead("iat", by: milliseconds)
        case .notYetValid(let milliseconds): Self.ahead("nbf", by: milliseconds)
        case .idLength(let bytes): "jti has \(bytes) bytes; expected 1 to \(TokenRules.longestID)"
        case .longName(let scalars):
            "name has \(scalars) characters; at most \(TokenRules.longestName) are allowed"
        case .controlInName: "name contains a control character"
        case .badColor(let color): "color is \(color.quoted); expected a color like #c33 or #cc3333"
        case .unknownRight(let name): "caret contains \(name.quoted); expected read, write or admin"
        case .tooManyGrants(let count):
            "caret has \(count) grants; at most \(TokenRules.mostGrants) are allowed, and a prefix is one"
        case .longPrefix(let bytes):
            "a prefix in caret has \(bytes) bytes; at most \(DocumentName.longest) are allowed"
        case .badDocument(let text, let fault):
            "caret contains \(text.quoted), but the name after the = \(fault.problem)"
        case .ended(let time): "the token ended at \(UTCTime(milliseconds: time)); get another one"
        }
    }

    private static func ahead(_ claim: String, by milliseconds: Int64) -> String {
        "\(claim) is \(milliseconds / 1_000) s ahead of the server's clock; at most "
            + "\(TokenRules.leeway / 1_000) s are allowed"
    }
}
