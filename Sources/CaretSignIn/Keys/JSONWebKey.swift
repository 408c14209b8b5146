import CaretWire

/// A key in JSON (RFC 7517), with its members read by type. Unknown members are ignored, as the RFC says.
struct JSONWebKey {
    /// What the key is for.
    enum Purpose: String {
        case verify, sign
    }

    private let object: JSONObject
    let id: WireString?
    let material: KeyMaterial

    /// Members that only a private key has (RFC 7518, section 6).
    private static let privateMembers: [WireString] = ["d", "p", "q", "dp", "dq", "qi", "oth"]

    init(_ object: JSONObject, for purpose: Purpose) throws(KeyProblem) {
        self.object = object
        let isPrivate = JSONWebKey.privateMembers.contains { object[$0] != nil }
        if isPrivate, purpose == .verify { throw .privateKey }
        let members = Members(object)
        material = try members.material()
        id = try members.string(optional: "kid")
        if let name = try members.string(optional: "alg"), !material.algorithm.isNamed(name) {
            throw .wrongAlgorithm(name, expected: material.algorithm)
        }
        if let use = try members.string(optional: "use"), use != "sig" { throw .otherUse(use) }
        if let operations = object["key_ops"] {
            guard let names = operations.strings else {
                throw .wrongType("key_ops", expected: "a list of strings")
            }
            guard names.contains(WireString(purpose.rawValue)) else {
                throw .otherOperations(expected: purpose.rawValue)
            }
        }
    }

    /// The private key; nil for a secret.
    func privateHandle() throws(KeyProblem) -> KeyHandle? {
        let members = Members(object)
        let handle: KeyHandle?
        switch material {
        case .secret: return nil
        case .ed25519: handle = KeyMaterial.privateHandle(ed25519: try members.scalar())
        case .p256(let x, let y):
            handle = KeyMaterial.privateHandle(p256: try members.scalar(), x: x, y: y)
        case .rsa(let modulus, let exponent):
            var numbers = [modulus, exponent]
            for name in ["d", "p", "q", "dp", "dq", "qi"] { numbers.append(try members.bytes(name)) }
            handle = KeyMaterial.privateHandle(rsa: numbers)
        }
        guard let handle else { throw .doesNotFit }
        return handle
    }
}

/// The members of a key, read by type.
private struct Members {
    let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    func material() throws(KeyProblem) -> KeyMaterial {
        switch try string("kty") {
        case "OKP":
            try checkCurve("Ed25519")
            return try KeyMaterial(ed25519: bytes("x"))
        case "EC":
            try checkCurve("P-256")
            return try KeyMaterial(x: bytes("x"), y: bytes("y"))
        case "RSA": return try KeyMaterial(modulus: bytes("n"), exponent: bytes("e"))
        case "oct": return try KeyMaterial(secret: bytes("k"))
        case let other: throw .unknownType(other)
        }
    }

    private func checkCurve(_ expected: String) throws(KeyProblem) {
        let curve = try string("crv")
        guard curve == WireString(expected) else { throw .unknownCurve(curve, expected: expected) }
    }

    func string(optional name: String) throws(KeyProblem) -> WireString? {
        guard let value = object[WireString(name)] else { return nil }
        guard let string = value.string else { throw .wrongType(name, expected: "a string") }
        return string
    }

    private func string(_ name: String) throws(KeyProblem) -> WireString {
        guard let string = try string(optional: name) else { throw .missing(name) }
        return string
    }

    func bytes(_ name: String) throws(KeyProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(name).utf8) else { throw .notBase64(name) }
        return bytes
    }

    /// The private number of a key on a curve.
    func scalar() throws(KeyProblem) -> [UInt8] {
        let bytes = try bytes("d")
        guard bytes.count == KeyMaterial.coordinateBytes else {
            throw .wrongLength("d", bytes: bytes.count, expected: KeyMaterial.coordinateBytes)
        }
        return bytes
    }
}
