package import CaretWire

/// The keys that check signed tokens: a JWK, a JWK Set (RFC 7517), or one public key as PEM.
package struct TokenKeys: Sendable {
    package static let mostKeys = 100

    let keys: [VerifyingKey]

    /// Reads the text of a file. With several keys, each has a `kid` of its own.
    package init(text: [UInt8]) throws(TokenKeysFault) {
        let found: KeyText
        do throws(KeyProblem) { found = try KeyText(text) } catch { throw TokenKeysFault(error) }
        switch found {
        case .set(let objects): keys = try TokenKeys.keys(of: objects)
        case .key(let object):
            do throws(KeyProblem) { keys = [try VerifyingKey(object)] } catch { throw TokenKeysFault(error) }
        case .pem(let pem):
            do throws(KeyProblem) { keys = [try VerifyingKey(id: nil, pem.publicMaterial())] } catch {
                throw TokenKeysFault(error)
            }
        }
    }

    /// Reads a file. If it contains secrets, other users must not be able to read it.
    package static func read(_ path: String) throws(TokenKeysFault) -> TokenKeys {
        do throws(TokenKeysFault) {
            let file = try KeyFile(path)
            let keys = try TokenKeys(text: file.text)
            if keys.areSecret { try file.checkIsPrivate() }
            return keys
        } catch {
            throw error.at(path)
        }
    }

    init(_ key: VerifyingKey) { keys = [key] }

    private static func keys(of objects: [JSONObject]) throws(TokenKeysFault) -> [VerifyingKey] {
        if objects.isEmpty { throw TokenKeysFault(.noKeys) }
        if objects.count > mostKeys { throw TokenKeysFault(.tooManyKeys(objects.count)) }
        var keys: [VerifyingKey] = []
        for (index, object) in objects.enumerated() {
            do throws(KeyProblem) {
                let key = try VerifyingKey(object)
                if objects.count > 1, key.id == nil { throw .noID }
                if let id = key.id, keys.contains(where: { $0.id == id }) { throw .doubledID(id) }
                keys.append(key)
            } catch {
                throw TokenKeysFault(error, key: index + 1)
            }
        }
        return keys
    }

    /// A mark of each key.
    package var marks: Set<KeyMark> { Set(keys.map(\.mark)) }

    /// The `kid` and the algorithm of the key with this mark; nil if no key has it.
    package func key(with mark: KeyMark) -> (id: WireString?, algorithm: SignatureAlgorithm)? {
        keys.first { $0.mark == mark }.map { ($0.id, $0.algorithm) }
    }

    /// Whether one of the keys is a secret. With a secret, a program can also sign tokens.
    package var areSecret: Bool { keys.contains { $0.material.isSecret } }
}

extension TokenKeys: Equatable {
    /// The order of the keys does not matter.
    package static func == (left: TokenKeys, right: TokenKeys) -> Bool { left.marks == right.marks }
}

extension VerifyingKey {
    fileprivate init(_ object: JSONObject) throws(KeyProblem) {
        let key = try JSONWebKey(object, for: .verify)
        try self.init(id: key.id, key.material)
    }
}
