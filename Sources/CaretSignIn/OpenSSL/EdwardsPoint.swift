import COpenSSL

/// What OpenSSL does not check when it reads a public key of Ed25519.
enum EdwardsPoint {
    /// The prime of the field, 2^255 − 19.
    private static let prime = "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFED"
    /// The number d of the curve −x² + y² = 1 + d·x²·y² (RFC 8032, section 5.1).
    private static let curve = "52036CEE2B6FFE738CC740797779E89800700A4D4141D8AB75EB4DCA135978A3"

    /// The y coordinates of the eight points of small order, as numbers in base 16. Under such a key, anybody can sign.
    /// A key of 32 zero bytes is one of them.
    private static let smallOrder = [
        "0", "1", "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEC",
        "05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826",
        "7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7",
    ]

    /// Whether 32 bytes are the canonical form of a point: y is below the prime, and the equation has a solution.
    static func isOnCurve(_ point: [UInt8]) -> Bool {
        Numbers.run { numbers in
            let (prime, y) = (numbers.number(EdwardsPoint.prime), numbers.y(of: point))
            guard BN_cmp(y, prime) < 0 else { return false }
            // x² = (y² − 1) / (d·y² + 1). A quotient is a square if the product is one.
            let (square, above, below) = (numbers.number(), numbers.number(), numbers.number())
            BN_mod_sqr(square, y, prime, numbers.context)
            BN_mod_sub(above, square, BN_value_one(), prime, numbers.context)
            BN_mod_mul(below, square, numbers.number(EdwardsPoint.curve), prime, numbers.context)
            BN_mod_add(below, below, BN_value_one(), prime, numbers.context)
            BN_mod_mul(square, above, below, prime, numbers.context)
            return BN_kronecker(square, prime, numbers.context) >= 0
        }
    }

    static func hasSmallOrder(_ point: [UInt8]) -> Bool {
        Numbers.run { numbers in
            let y = numbers.y(of: point)
            return smallOrder.contains { BN_cmp(numbers.number($0), y) == 0 }
        }
    }
}

/// Numbers of OpenSSL that are freed together.
private struct Numbers {
    let context: OpaquePointer

    static func run<Result>(_ body: (Numbers) -> Result) -> Result {
        guard let context = BN_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
        BN_CTX_start(context)
        defer {
            BN_CTX_end(context)
            BN_CTX_free(context)
        }
        return body(Numbers(context: context))
    }

    func number() -> OpaquePointer {
        guard let number = BN_CTX_get(context) else { preconditionFailure("OpenSSL has no memory") }
        return number
    }

    func number(_ digits: String) -> OpaquePointer {
        var number: OpaquePointer? = number()
        BN_hex2bn(&number, digits)
        guard let number else { preconditionFailure("OpenSSL has no memory") }
        return number
    }

    /// The y coordinate of a point. The highest bit of its form is the sign of x.
    func y(of point: [UInt8]) -> OpaquePointer {
        var bytes = point
        if let last = bytes.indices.last { bytes[last] &= 0x7F }
        let number = number()
        BN_lebin2bn(bytes, Int32(bytes.count), number)
        return number
    }
}
