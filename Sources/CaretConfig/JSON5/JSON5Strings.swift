/// Strings in single or double quotes, and keys without quotes.
extension JSON5Reader {
    mutating func string() throws(JSON5Fault) -> String {
        let unclosed = cursor.fault(.notClosed(.string))
        let quote = cursor.scalar
        cursor.advance()
        var text = String.UnicodeScalarView()
        while let scalar = cursor.scalar {
            if scalar == quote {
                cursor.advance()
                return String(text)
            }
            switch scalar {
            case "\\": if let escaped = try escape() { text.append(escaped) }
            case "\n", "\r": throw cursor.fault(.lineBreakInString)
            default:
                text.append(scalar)
                cursor.advance()
            }
        }
        throw unclosed
    }

    /// Reads an identifier name of ECMAScript 5.1, which may contain escapes.
    mutating func name() throws(JSON5Fault) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = cursor.scalar, scalar.continuesName || scalar == "\\" {
            let start = cursor
            if scalar == "\\" {
                guard cursor.next == "u", let escaped = try escape(), escaped.continuesName,
                    !text.isEmpty || escaped.beginsName
                else { throw start.fault(.badEscape) }
                text.append(escaped)
            } else {
                text.append(scalar)
                cursor.advance()
            }
        }
        return String(text)
    }

    /// Reads an escape. Returns nil for an escaped line break, which adds nothing to the string.
    private mutating func escape() throws(JSON5Fault) -> Unicode.Scalar? {
        let start = cursor
        cursor.advance()
        // At the end of the text, `string` reports the unclosed string.
        guard let letter = cursor.scalar else { return nil }
        cursor.advance()
        switch letter {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "0" where cursor.scalar?.isDigit != true: return "\0"
        case "0"..."9": throw start.fault(.badEscape)
        case "x": return Unicode.Scalar(UInt8(truncatingIfNeeded: try hex(digits: 2, of: start)))
        case "u": return try unicodeEscape(of: start)
        case "\r":
            _ = cursor.skip("\n")
            return nil
        case "\n", "\u{2028}", "\u{2029}": return nil
        default: return letter
        }
    }

    private mutating func unicodeEscape(of start: JSON5Cursor) throws(JSON5Fault) -> Unicode.Scalar {
        let first = try hex(digits: 4, of: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, cursor.skip("\\"), cursor.skip("u") else { throw start.fault(.loneSurrogate) }
        let second = try hex(digits: 4, of: start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw start.fault(.loneSurrogate) }
        return scalar
    }

    private mutating func hex(digits: Int, of start: JSON5Cursor) throws(JSON5Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = cursor.scalar?.hexDigit else { throw start.fault(.badEscape) }
            value = value << 4 | digit
            cursor.advance()
        }
        return value
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }

    var hexDigit: UInt32? {
        switch self {
        case "0"..."9": value - 0x30
        case "a"..."f": value - 0x61 + 10
        case "A"..."F": value - 0x41 + 10
        default: nil
        }
    }

    var beginsName: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            true
        default: self == "$" || self == "_"
        }
    }

    var continuesName: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
        default: beginsName || self == "\u{200C}" || self == "\u{200D}"
        }
    }
}
