extension String {
    /// The text as a JSON string, with quotes. Characters that are not printable are escaped, so the text
    /// stays on one line.
    package var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isShowable: text.unicodeScalars.append(scalar)
            default: text += UTF16.encode(scalar)?.map { "\\u" + $0.fourHexDigits }.joined() ?? ""
            }
        }
        return text + "\""
    }
}

extension UInt16 {
    fileprivate var fourHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
