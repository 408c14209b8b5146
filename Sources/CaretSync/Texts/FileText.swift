/// The text of a file as a document stores it.
package struct FileText: Equatable, Sendable {
    /// The text, with LF as line break.
    package let text: String
    /// Whether the first line break is CR LF. Nil if the text has no line break.
    package let usesCRLF: Bool?

    /// Converts the whole content of a file: CR LF and CR become LF.
    package init(_ whole: String) {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let bytes = Array(whole.utf8)
        let end = bytes.firstIndex { $0 == lineFeed || $0 == carriageReturn }
        usesCRLF = end.map { bytes[$0] == carriageReturn && bytes[($0 + 1)...].first == lineFeed }
        if !bytes.contains(carriageReturn) {
            text = whole
            return
        }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == carriageReturn {
                kept.append(lineFeed)
            } else if byte != lineFeed || index == 0 || bytes[index - 1] != carriageReturn {
                kept.append(byte)
            }
        }
        text = String(decoding: kept, as: UTF8.self)
    }
}

extension String {
    /// A document's text as it is written to a file.
    package func fileBytes(usesCRLF: Bool) -> [UInt8] {
        let lineFeed = UInt8(ascii: "\n")
        guard usesCRLF else { return Array(utf8) }
        return utf8.flatMap { $0 == lineFeed ? [UInt8(ascii: "\r"), lineFeed] : [$0] }
    }
}
