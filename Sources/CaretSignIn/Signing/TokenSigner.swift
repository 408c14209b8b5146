import COpenSSL
package import CaretWire

/// A key that signs tokens: a private key as PEM or JWK, or a secret as JWK.
package struct TokenSigner: Sendable {
    private let key: VerifyingKey
    /// Nil for a secret.
    private let handle: KeyHandle?

    /// `id` names a key that is PEM. A JWK has its own `kid`, unless `id` replaces it.
    package init(text: [UInt8], id: WireString? = nil) throws(TokenKeysFault) {
        do throws(KeyProblem) {
            switch try KeyText(text) {
            case .pem(let pem):
                let handle = try pem.privateHandle()
                try self.init(VerifyingKey(id: id, KeyMaterial(publicPartOf: handle)), handle)
            case .key(let object): try self.init(object, id: id)
            case .set(let objects):
                guard objects.count == 1 else { throw .severalToSign(objects.count) }
                try self.init(objects[0], id: id)
            }
        } catch {
            throw TokenKeysFault(error)
        }
    }

    /// Reads a file that only its owner may read.
    package static func read(_ path: String, id: WireString? = nil) throws(TokenKeysFault) -> TokenSigner {
        do throws(TokenKeysFault) {
            let file = try KeyFile(path)
            let signer = try TokenSigner(text: file.text, id: id)
            try file.checkIsPrivate()
            return signer
        } catch {
            throw error.at(path)
        }
    }

    private init(_ object: JSONObject, id: WireString?) throws(KeyProblem) {
        let key = try JSONWebKey(object, for: .sign)
        if !key.material.isSecret, object["d"] == nil { throw .notPrivate }
        try self.init(VerifyingKey(id: id ?? key.id, key.material), key.privateHandle())
    }

    private init(_ key: VerifyingKey, _ handle: KeyHandle?) throws(KeyProblem) {
        self.key = key
        self.handle = handle
        // OpenSSL also reads a private key whose parts belong to two keys.
        let text = Array("caret".utf8)
        guard let signature = signature(of: text) else { throw .doesNotFit }
        do throws(SignedTokenFault) { try key.check(signature, of: text[...]) } catch { throw .doesNotFit }
    }

    package var algorithm: SignatureAlgorithm { key.algorithm }

    /// The key with which a server checks these tokens.
    package var keys: TokenKeys { TokenKeys(key) }

    /// Signs claims. Whether a server accepts them depends on its rules.
    package func sign(_ claims: SigningClaims) -> String {
        var header = JSONObject()
        header.append("alg", .string(WireString(algorithm.rawValue)))
        header.append("typ", .string("JWT"))
        if let id = key.id { header.append("kid", .string(id)) }
        return sign(header: header.bytes, claims: claims.object.bytes)
    }

    /// Signs any header and claims, also those that no server accepts.
    package func sign(header: [UInt8], claims: [UInt8]) -> String {
        let signed = Base64URL.encode(header) + [UInt8(ascii: ".")] + Base64URL.encode(claims)
        guard let signature = signature(of: signed) else {
            preconditionFailure("OpenSSL cannot sign with a key that it has signed with before")
        }
        let token = signed + [UInt8(ascii: ".")] + Base64URL.encode(signature)
        return String(decoding: token, as: UTF8.self)
    }

    private func signature(of text: [UInt8]) -> [UInt8]? {
        switch key.material {
        case .ed25519: handle?.signature(of: text, hash: nil)
        case .rsa: handle?.signature(of: text, hash: EVP_sha256())
        case .p256: handle?.signature(of: text, hash: EVP_sha256()).map { P256Signature(madeAs: $0).bytes }
        case .secret(let secret): HMACSHA256.code(of: text[...], secret: secret)
        }
    }
}
