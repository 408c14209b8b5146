/// A position in a line, with methods that read the token at this position.
///
/// The bytes must be valid UTF-8, which is checked once for the whole line.
struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int = 0) {
        self.bytes = bytes
        self.index = index
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The byte at the position. At the end it is NUL, which begins no token.
    @inline(__always)
    var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    func fault(_ reason: JSONFault.Reason) -> JSONFault { JSONFault(reason: reason, byte: index) }

    func fault(expected: JSONFault.Expected) -> JSONFault {
        fault(.expected(expected, found: isAtEnd ? nil : byte))
    }

    /// Skips space, tab, LF and CR.
    @inline(__always)
    mutating func skipBlanks() {
        // Few lines have blanks, and no byte above a space is a blank.
        if byte <= UInt8(ascii: " ") { skipSomeBlanks() }
    }

    private mutating func skipSomeBlanks() {
        while index < bytes.count, bytes[index].isBlank { index += 1 }
    }

    /// Skips a string. Returns true if the string contains an escape.
    mutating func skipString() throws(JSONFault) -> Bool {
        index += 1
        var hasEscape = false
        while true {
            index = bytes.endOfRun(from: index)
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return hasEscape
            case UInt8(ascii: "\\"):
                hasEscape = true
                if isBeforePlainEscape { index += 2 } else { try skipEscape() }
            case let control:
                throw isAtEnd ? fault(expected: .quote) : fault(.controlCharacter(control))
            }
        }
    }

    /// Whether the escape at the position is one of the three that most texts have.
    @inline(__always)
    private var isBeforePlainEscape: Bool {
        guard index + 1 < bytes.count else { return false }
        let letter = bytes[index + 1]
        return letter == UInt8(ascii: "n") || letter == UInt8(ascii: "\"") || letter == UInt8(ascii: "\\")
    }

    private mutating func skipEscape() throws(JSONFault) {
        let start = index
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            try skipUnicodeEscape(escapeAt: start)
        default:
            throw isAtEnd ? fault(expected: .quote) : JSONFault(reason: .badEscape, byte: start)
        }
    }

    /// Skips the digits of a `\u` escape. If the escape is the first half of a surrogate pair, skips the
    /// second half too.
    private mutating func skipUnicodeEscape(escapeAt start: Int) throws(JSONFault) {
        let unit = try hexUnit(escapeAt: start)
        guard UTF16.isSurrogate(unit) else { return }
        let isPair =
            UTF16.isLeadSurrogate(unit) && byte == UInt8(ascii: "\\") && index + 1 < bytes.count
            && bytes[index + 1] == UInt8(ascii: "u")
        guard isPair else { throw JSONFault(reason: .loneSurrogate, byte: start) }
        let second = index
        index += 2
        guard UTF16.isTrailSurrogate(try hexUnit(escapeAt: second)) else {
            throw JSONFault(reason: .loneSurrogate, byte: start)
        }
    }

    private mutating func hexUnit(escapeAt start: Int) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = byte.hexDigit else {
                throw isAtEnd ? fault(expected: .quote) : JSONFault(reason: .badEscape, byte: start)
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    /// Skips `true`, `false` or `null`.
    mutating func skipWord(_ word: StaticString) throws(JSONFault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[offset] else { throw fault(expected: .value) }
            index += 1
        }
    }

    /// Skips a number.
    mutating func skipNumber() throws(JSONFault) {
        let start = index
        if byte == UInt8(ascii: "-") { index += 1 }
        let digits = index
        var size = 0
        while byte.isDigit {
            size = size &* 10 &+ Int(byte &- UInt8(ascii: "0"))
            index += 1
        }
        let count = index - digits
        guard count > 0 else { throw fault(expected: .digit) }
        if count > 1 && bytes[digits] == UInt8(ascii: "0") {
            throw JSONFault(reason: .leadingZero, byte: digits)
        }
        if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            return try skipFraction(of: start, digits)
        }
        // Sixteen digits do not overflow an Int.
        guard count <= 16 && size <= Limits.integer else {
            throw JSONFault(reason: .integerOutOfRange, byte: start)
        }
    }

    /// Skips the fraction and the exponent of a number. The number begins at `start`, and its digits at
    /// `digits`.
    private mutating func skipFraction(of start: Int, _ digits: Int) throws(JSONFault) {
        let integerEnd = index
        if byte == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        let mantissa = digits..<index
        let exponent = try readExponent()
        guard isSupported(mantissa, integerEnd: integerEnd, exponent: exponent) else {
            throw JSONFault(reason: .numberOutOfRange, byte: start)
        }
    }

    private mutating func skipDigits() throws(JSONFault) {
        guard byte.isDigit else { throw fault(expected: .digit) }
        while byte.isDigit { index += 1 }
    }

    /// Reads the exponent, if there is one. An extremely large exponent is reduced to a value that is still
    /// too large.
    private mutating func readExponent() throws(JSONFault) -> Int {
        guard byte | 0x20 == UInt8(ascii: "e") else { return 0 }
        index += 1
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { index += 1 }
        let digits = index
        try skipDigits()
        let absurd = 1 << 40
        let size = (digits..<index).reduce(0) { min(absurd, $0 * 10 + Int(bytes[$1] - UInt8(ascii: "0"))) }
        return isNegative ? -size : size
    }

    /// Whether the number is zero, or every JSON reader supports the power of ten of its first nonzero digit.
    private func isSupported(_ mantissa: Range<Int>, integerEnd: Int, exponent: Int) -> Bool {
        let first = mantissa.first { bytes[$0].isDigit && bytes[$0] != UInt8(ascii: "0") }
        guard let first else { return true }
        let power = first < integerEnd ? integerEnd - 1 - first : integerEnd - first
        return abs(power + exponent) <= Limits.exponent
    }
}

extension UInt8 {
    var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\n")
            || self == UInt8(ascii: "\r")
    }

    @inline(__always)
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    var hexDigit: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}
