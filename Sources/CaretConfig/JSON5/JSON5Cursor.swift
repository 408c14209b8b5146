/// A position in a text of Unicode scalars, with its line and column.
struct JSON5Cursor {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private(set) var position = TextPosition.start

    /// Decodes the bytes. Throws if the bytes are not valid UTF-8.
    init(_ bytes: [UInt8]) throws(JSON5Fault) {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(bytes.count)
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        var isUTF8 = true
        decoding: while true {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar): scalars.append(scalar)
            case .emptyInput: break decoding
            case .error:
                isUTF8 = false
                break decoding
            }
        }
        self.scalars = scalars
        if !isUTF8 {
            while scalar != nil { advance() }
            throw fault(.notUTF8)
        }
    }

    /// The scalar at the cursor; nil at the end.
    var scalar: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// The scalar after the current one; nil at the end.
    var next: Unicode.Scalar? { index + 1 < scalars.count ? scalars[index + 1] : nil }

    func fault(_ reason: JSON5Fault.Reason) -> JSON5Fault { JSON5Fault(reason: reason, position: position) }

    func fault(expected: JSON5Fault.Expected) -> JSON5Fault { fault(.expected(expected, found: scalar)) }

    mutating func advance() {
        guard let scalar else { return }
        let endsLine = scalar == "\r" || (scalar == "\n" && !(index > 0 && scalars[index - 1] == "\r"))
        index += 1
        if endsLine {
            position = TextPosition(line: position.line + 1, column: 1)
        } else if scalar != "\n" {
            position.column += 1
        }
    }

    /// Skips the current scalar if it equals `expected`. Returns whether a scalar was skipped.
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard scalar == expected else { return false }
        advance()
        return true
    }

    /// Skips scalars as long as `belongs` returns true, and returns them.
    mutating func run(while belongs: (Unicode.Scalar) -> Bool) -> String {
        var run = String.UnicodeScalarView()
        while let scalar, belongs(scalar) {
            run.append(scalar)
            advance()
        }
        return String(run)
    }

    /// Skips blanks and comments.
    mutating func skipBlanks() throws(JSON5Fault) {
        while let scalar {
            if scalar == "/", next == "/" {
                while let scalar = self.scalar, !scalar.isLineBreak { advance() }
            } else if scalar == "/", next == "*" {
                try skipBlockComment()
            } else if scalar.isBlank {
                advance()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(JSON5Fault) {
        let unclosed = fault(.notClosed(.comment))
        advance()
        advance()
        while !(scalar == "*" && next == "/") {
            if scalar == nil { throw unclosed }
            advance()
        }
        advance()
        advance()
    }
}

extension Unicode.Scalar {
    var isLineBreak: Bool {
        switch self {
        case "\n", "\r", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    var isBlank: Bool {
        switch self {
        case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": true
        default: isLineBreak || properties.generalCategory == .spaceSeparator
        }
    }
}
