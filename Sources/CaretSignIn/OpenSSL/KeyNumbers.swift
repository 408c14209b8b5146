import COpenSSL

/// Reading the numbers of a key that OpenSSL has read from PEM. So a key has the same checks and the same mark in both
/// forms.
extension KeyMaterial {
    init(publicPartOf key: KeyHandle) throws(KeyProblem) {
        self = try key.withPointer { key throws(KeyProblem) in
            defer { ERR_clear_error() }
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_ED25519: return try KeyMaterial(ed25519: rawPublicKey(of: key))
            case EVP_PKEY_EC: return try KeyMaterial(curvePointOf: key)
            case EVP_PKEY_RSA:
                return try KeyMaterial(modulus: number("n", of: key), exponent: number("e", of: key))
            default:
                throw .unsupportedType(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown")
            }
        }
    }

    private init(curvePointOf key: OpaquePointer) throws(KeyProblem) {
        var name = [CChar](repeating: 0, count: 80)
        guard EVP_PKEY_get_utf8_string_param(key, "group", &name, name.count, nil) == 1 else {
            throw .unsupportedType("EC")
        }
        let curve = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard curve == "prime256v1" else { throw .unsupportedType("EC on \(curve)") }
        self = try KeyMaterial(
            x: number("qx", of: key, size: KeyMaterial.coordinateBytes),
            y: number("qy", of: key, size: KeyMaterial.coordinateBytes))
    }
}

private func rawPublicKey(of key: OpaquePointer) -> [UInt8] {
    var count = KeyMaterial.coordinateBytes
    var bytes = [UInt8](repeating: 0, count: count)
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { return [] }
    return bytes
}

/// A number of the key with its highest byte first; without leading zeros if no size is given.
private func number(_ name: String, of key: OpaquePointer, size: Int? = nil) -> [UInt8] {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return [] }
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: size ?? Int(BN_num_bits(number) + 7) / 8)
    guard BN_bn2binpad(number, &bytes, Int32(bytes.count)) >= 0 else { return [] }
    return bytes
}
