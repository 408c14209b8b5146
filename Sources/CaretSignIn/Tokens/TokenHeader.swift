import CaretWire

/// The header of a signed token.
struct TokenHeader {
    let algorithm: WireString
    let keyID: WireString?

    /// Members that change how a token is checked, or that bring their own key. A server that ignored one of them could
    /// accept a token that was meant to be refused.
    private static let refused = ["crit", "b64", "jwk", "jku", "x5u", "x5c"]

    init(_ bytes: [UInt8]) throws(SignedTokenFault) {
        let members = try TokenMembers(bytes, of: .header)
        for name in TokenHeader.refused where members.has(name) { throw .refusedMember(name) }
        algorithm = try members.string("alg")
        keyID = try members.string(optional: "kid")
        if let type = try members.string(optional: "typ"), !TokenHeader.isJWT(type) { throw .otherType(type) }
    }

    /// Media types are compared without case (RFC 7519, section 5.1).
    private static func isJWT(_ type: WireString) -> Bool {
        type.utf8.elementsEqual("jwt".utf8) { $0 | 0x20 == $1 }
    }
}

extension TokenKeys {
    /// The key of a token. With several keys, the header must name one of them.
    func key(for header: TokenHeader) throws(SignedTokenFault) -> VerifyingKey {
        let key = try named(header.keyID)
        guard key.algorithm.isNamed(header.algorithm) else {
            throw .otherAlgorithm(header.algorithm, expected: key.algorithm)
        }
        return key
    }

    private func named(_ id: WireString?) throws(SignedTokenFault) -> VerifyingKey {
        if keys.count == 1 {
            if let id, let own = keys[0].id, id != own { throw .unknownKey(id) }
            return keys[0]
        }
        guard let id else { throw .noKeyID }
        guard let key = keys.first(where: { $0.id == id }) else { throw .unknownKey(id) }
        return key
    }
}
