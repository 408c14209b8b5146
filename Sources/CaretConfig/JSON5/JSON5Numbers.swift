extension JSON5Reader {
    mutating func number() throws(JSON5Fault) -> JSON5Number {
        let start = cursor
        var last: Unicode.Scalar?
        let written = cursor.run { scalar in
            defer { last = scalar }
            let isSign = scalar == "+" || scalar == "-"
            return isSign ? last == nil || last == "e" || last == "E" : scalar == "." || scalar.continuesName
        }
        guard let number = JSON5Number(written) else { throw start.fault(.badNumber(written)) }
        return number
    }
}

extension JSON5Number {
    /// Nil if the text is not a JSON5 number.
    init?(_ written: String) {
        let isNegative = written.hasPrefix("-")
        let digits = isNegative || written.hasPrefix("+") ? written.dropFirst() : written[...]
        let size: Double
        if digits == "Infinity" || digits == "NaN" {
            size = .nan
        } else if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            guard let value = Self.hexadecimal(digits.dropFirst(2)) else { return nil }
            size = value
        } else {
            guard let value = Self.decimal(digits) else { return nil }
            size = value
        }
        self.written = written
        whole = size < 0x1p53 ? Int(exactly: isNegative ? -size : size) : nil
    }

    private static func hexadecimal(_ digits: Substring) -> Double? {
        guard !digits.isEmpty else { return nil }
        var value = 0.0
        for scalar in digits.unicodeScalars {
            guard let digit = scalar.hexDigit else { return nil }
            value = value * 16 + Double(digit)
        }
        return value
    }

    private static func decimal(_ text: Substring) -> Double? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = mantissa.count == 2 ? mantissa[1] : ""
        guard (mantissa[0] + fraction).isDigits, mantissa[0].count == 1 || !mantissa[0].hasPrefix("0") else {
            return nil
        }
        var exponent: Substring = "0"
        if parts.count == 2 {
            exponent = parts[1]
            let isSigned = exponent.hasPrefix("+") || exponent.hasPrefix("-")
            guard exponent.dropFirst(isSigned ? 1 : 0).isDigits else { return nil }
        }
        // The zeros are added because Swift requires digits on both sides of the point, but JSON5 does not.
        return Double("0\(mantissa[0]).\(fraction)0e\(exponent)")
    }
}

extension StringProtocol {
    /// True for one or more ASCII digits and nothing else.
    var isDigits: Bool { !isEmpty && unicodeScalars.allSatisfy(\.isDigit) }
}
