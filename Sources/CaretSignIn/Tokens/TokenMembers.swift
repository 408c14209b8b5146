import CaretWire

/// The members of a token's header or claims, read by type.
struct TokenMembers {
    let part: SignedTokenFault.Part
    private let object: JSONObject

    init(_ bytes: [UInt8], of part: SignedTokenFault.Part) throws(SignedTokenFault) {
        self.part = part
        do throws(JSONObject.Fault) { object = try JSONObject(parsing: bytes) } catch {
            throw .notJSON(part, reason: error.description)
        }
    }

    func has(_ name: String) -> Bool { object[WireString(name)] != nil }

    func value(_ name: String) -> JSONElement? { object[WireString(name)] }

    func string(optional name: String) throws(SignedTokenFault) -> WireString? {
        guard let value = value(name) else { return nil }
        guard let string = value.string else { throw wrongType(name, "a string") }
        return string
    }

    func string(_ name: String) throws(SignedTokenFault) -> WireString {
        guard let string = try string(optional: name) else { throw .missing(part, name) }
        return string
    }

    /// A time in whole seconds. A fraction is dropped, because some backends divide milliseconds. So a token issued at
    /// 10.9 counts as issued at 10.
    func seconds(optional name: String) throws(SignedTokenFault) -> Int64? {
        guard let value = value(name) else { return nil }
        let seconds: Int64?
        switch value {
        case .integer(let number): seconds = Int64(number)
        case .number(let written): seconds = TokenMembers.wholePart(of: written)
        default: seconds = nil
        }
        guard let seconds, (0...TokenRules.latestTime).contains(seconds) else {
            throw wrongType(name, "seconds since 1970, without an exponent")
        }
        return seconds
    }

    func seconds(_ name: String) throws(SignedTokenFault) -> Int64 {
        guard let seconds = try seconds(optional: name) else { throw .missing(part, name) }
        return seconds
    }

    func wrongType(_ name: String, _ expected: String) -> SignedTokenFault {
        .wrongType(part, name, expected: expected)
    }

    /// The digits before the point. Nil for a number with an exponent or a sign.
    private static func wholePart(of written: WireString) -> Int64? {
        let parts = written.utf8.split(separator: UInt8(ascii: "."))
        let isDecimal = parts.count == 2 && parts.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
        return isDecimal ? Int64(String(decoding: parts[0], as: UTF8.self)) : nil
    }
}
