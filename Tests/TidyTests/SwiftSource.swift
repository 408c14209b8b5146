/// Swift source as tokens, without comments. A string or regex literal is one token.
///
/// Understands only what the rules need: which words are code, on which lines there is code, and how braces
/// nest.
struct SwiftSource {
    /// One piece of the source: a word, a run of operator characters, a literal, or a single mark.
    struct Token: Equatable {
        let text: String
        let lines: ClosedRange<Int>
        /// Whether there is no space between this token and the one before.
        let isAttached: Bool

        var line: Int { lines.lowerBound }
    }

    /// The text of a literal's token, instead of its content.
    static let literal = "\"\""

    let tokens: [Token]

    init(_ text: String) {
        var lexer = Lexer(bytes: Array(text.utf8))
        lexer.readAll()
        tokens = lexer.tokens
    }

    /// The lines on which the given words follow each other.
    func lines(of words: [String], attached: Bool = false) -> [Int] {
        guard tokens.count >= words.count else { return [] }
        return (0...tokens.count - words.count).compactMap { start in
            let run = tokens[start..<start + words.count]
            guard run.map(\.text) == words, !attached || run.dropFirst().allSatisfy(\.isAttached) else {
                return nil
            }
            return tokens[start].line
        }
    }
}

/// Splits source bytes into tokens, one `step` at a time.
private struct Lexer {
    let bytes: [UInt8]
    var tokens: [SwiftSource.Token] = []
    private var at = 0
    private var line = 1
    private var endOfLastToken = -1

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func readAll() {
        while at < bytes.count { step() }
    }

    private mutating func step() {
        let byte = bytes[at]
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
        case _ where looking(at: "//"): skipLineComment()
        case _ where looking(at: "/*"): skipBlockComment()
        case UInt8(ascii: "\""), UInt8(ascii: "#"): readLiteralOrMark()
        case UInt8(ascii: "/") where isRegex: readRegex(pounds: 0)
        case UInt8(ascii: "`"): readQuotedName()
        case _ where byte.isWord: readRun(\.isWord)
        case _ where byte.isOperator: readOperator()
        default: readRun { _ in false }
        }
    }

    // MARK: Moving

    private func looking(at text: StaticString, from offset: Int = 0) -> Bool {
        let start = at + offset
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where at < bytes.count {
            if bytes[at] == UInt8(ascii: "\n") { line += 1 }
            at += 1
        }
    }

    private mutating func skipLineComment() {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { advance() }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if looking(at: "/*") {
                depth += 1
                advance(2)
            } else if looking(at: "*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && at < bytes.count
    }

    // MARK: Tokens

    private mutating func append(_ text: String, from start: Int, line first: Int) {
        tokens.append(.init(text: text, lines: first...line, isAttached: start == endOfLastToken))
        endOfLastToken = at
    }

    /// Reads one byte, and then all bytes that belong to the same run.
    private mutating func readRun(_ belongs: (UInt8) -> Bool) {
        let start = at
        repeat { advance() } while at < bytes.count && belongs(bytes[at])
        append(String(decoding: bytes[start..<at], as: UTF8.self), from: start, line: line)
    }

    private mutating func readOperator() {
        let start = at
        repeat {
            advance()
        } while at < bytes.count && bytes[at].isOperator && !looking(at: "//") && !looking(at: "/*")
        append(String(decoding: bytes[start..<at], as: UTF8.self), from: start, line: line)
    }

    private mutating func readQuotedName() {
        let start = at
        repeat {
            advance()
        } while at < bytes.count && bytes[at] != UInt8(ascii: "`") && bytes[at] != UInt8(ascii: "\n")
        advance()
        append(String(decoding: bytes[start..<at], as: UTF8.self), from: start, line: line)
    }

    // MARK: Literals

    private mutating func readLiteralOrMark() {
        let pounds = bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count
        if looking(at: "\"", from: pounds) {
            readString(pounds: pounds)
        } else if pounds > 0, looking(at: "/", from: pounds) {
            readRegex(pounds: pounds)
        } else {
            readRun { _ in false }
        }
    }

    private mutating func readString(pounds: Int) {
        let start = at
        let first = line
        advance(pounds)
        let isBlock = looking(at: "\"\"\"")
        let quote: StaticString = isBlock ? "\"\"\"" : "\""
        let quotes = isBlock ? 3 : 1
        advance(quotes)
        while at < bytes.count, isBlock || bytes[at] != UInt8(ascii: "\n") {
            if looking(at: quote), hasPounds(pounds, after: quotes) {
                advance(quotes + pounds)
                break
            }
            stepInString(pounds: pounds)
        }
        append(SwiftSource.literal, from: start, line: first)
    }

    private mutating func stepInString(pounds: Int) {
        guard bytes[at] == UInt8(ascii: "\\"), hasPounds(pounds, after: 1) else { return advance() }
        advance(1 + pounds)
        if looking(at: "(") { skipInterpolation() } else { advance() }
    }

    /// Reads code up to the matching parenthesis, and drops its tokens.
    private mutating func skipInterpolation() {
        let before = tokens.count
        repeat {
            step()
        } while at < bytes.count && tokens[before...].reduce(0, { $0 + $1.nesting }) > 0
        tokens.removeSubrange(before...)
    }

    private func hasPounds(_ count: Int, after offset: Int) -> Bool {
        bytes.dropFirst(at + offset).prefix(count).count { $0 == UInt8(ascii: "#") } == count
    }

    /// A slash begins a regex if there is no operand before it, no space after it, and another slash later on
    /// its line.
    private var isRegex: Bool {
        let after = bytes[(at + 1)...].prefix { $0 != UInt8(ascii: "\n") }
        guard let next = after.first, next != UInt8(ascii: " "), after.contains(UInt8(ascii: "/")) else {
            return false
        }
        guard let last = tokens.last?.text else { return true }
        return ["(", "[", "{", ",", ":", ";", "=", "return"].contains(last)
    }

    private mutating func readRegex(pounds: Int) {
        let start = at
        let first = line
        advance(pounds + 1)
        while at < bytes.count, !(looking(at: "/") && hasPounds(pounds, after: 1)) {
            advance(bytes[at] == UInt8(ascii: "\\") ? 2 : 1)
        }
        advance(1 + pounds)
        append(SwiftSource.literal, from: start, line: first)
    }
}

extension SwiftSource.Token {
    /// +1 for an opening parenthesis, -1 for a closing one.
    fileprivate var nesting: Int { text == "(" ? 1 : text == ")" ? -1 : 0 }
}

extension UInt8 {
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    fileprivate var isOperator: Bool { Self.operatorBytes.contains(self) }

    private static let operatorBytes = Set("/=-+!*%<>&|^~?".utf8)
}
