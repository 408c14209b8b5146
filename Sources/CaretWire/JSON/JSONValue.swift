/// A value in a checked line.
struct JSONValue {
    enum Kind {
        case object, array, string, number, bool, null
    }

    let line: UnsafeBufferPointer<UInt8>
    let start: Int

    init(in line: UnsafeBufferPointer<UInt8>, at start: Int) {
        self.line = line
        self.start = start
    }

    var kind: Kind {
        switch line[start] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Nil unless the value is `true` or `false`.
    var bool: Bool? { kind == .bool ? line[start] == UInt8(ascii: "t") : nil }

    /// Nil unless the value is a number without fraction and exponent. `-0` is 0.
    var integer: Int? {
        guard kind == .number else { return nil }
        var index = start
        let isNegative = line[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var size = 0
        while index < line.count, line[index].isDigit {
            size = size &* 10 &+ Int(line[index] &- UInt8(ascii: "0"))
            index += 1
        }
        let isInteger =
            index == line.count
            || (line[index] != UInt8(ascii: ".") && line[index] | 0x20 != UInt8(ascii: "e"))
        return isInteger ? (isNegative ? 0 &- size : size) : nil
    }

    /// The value as a string. The value must be a string.
    var string: JSONString {
        var (index, hasEscape) = (start + 1, false)
        while true {
            index = line.endOfRun(from: index)
            guard index < line.count, line[index] == UInt8(ascii: "\\") else { break }
            hasEscape = true
            index = min(index + 2, line.count)
        }
        return JSONString(line, start + 1..<index, hasEscape: hasEscape)
    }

    /// The index after the value's last byte.
    var end: Int {
        var cursor = JSONCursor(line, at: start)
        var depth = 0
        repeat {
            switch cursor.byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                cursor.index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                cursor.index += 1
            case UInt8(ascii: "\""):
                cursor.index = JSONValue(in: line, at: cursor.index).string.end
            default:
                cursor.skipPlain()
            }
        } while depth > 0 && !cursor.isAtEnd
        return cursor.index
    }

    /// Calls `body` with each element and its index. The value must be an array.
    @inline(__always)
    func forEachElement<Failure: Error>(
        _ body: (_ element: JSONValue, _ index: Int) throws(Failure) -> Void
    ) throws(Failure) {
        var cursor = JSONCursor(line, at: start + 1)
        var index = 0
        cursor.skipBlanks()
        while !cursor.isAtEnd, cursor.byte != UInt8(ascii: "]") {
            let element = JSONValue(in: line, at: cursor.index)
            try body(element, index)
            index += 1
            cursor.index = element.end
            cursor.skipComma()
        }
    }

    /// Calls `body` with each member. The value must be an object.
    @inline(__always)
    func forEachMember<Failure: Error>(
        _ body: (_ key: JSONString, _ value: JSONValue) throws(Failure) -> Void
    ) throws(Failure) {
        var cursor = JSONCursor(line, at: start + 1)
        cursor.skipBlanks()
        while !cursor.isAtEnd, cursor.byte != UInt8(ascii: "}") {
            let key = JSONValue(in: line, at: cursor.index).string
            cursor.index = key.end
            cursor.skipBlanks()
            cursor.index += 1
            cursor.skipBlanks()
            let value = JSONValue(in: line, at: cursor.index)
            try body(key, value)
            cursor.index = value.end
            cursor.skipComma()
        }
    }

    /// How many levels of objects and arrays the value has, including the value itself.
    var nesting: Int {
        var (depth, deepest) = (0, 0)
        var index = start
        let end = end
        while index < end {
            switch line[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""): index = JSONValue(in: line, at: index).string.end - 1
            default: break
            }
            deepest = max(deepest, depth)
            index += 1
        }
        return deepest
    }
}

extension JSONCursor {
    /// Skips a number or a word. If neither begins here, skips one byte.
    fileprivate mutating func skipPlain() {
        repeat { index += 1 } while !isAtEnd && !byte.endsPlain
    }

    /// Skips the comma and blanks between two elements or members.
    fileprivate mutating func skipComma() {
        skipBlanks()
        guard byte == UInt8(ascii: ",") else { return }
        index += 1
        skipBlanks()
    }
}

extension UInt8 {
    fileprivate var endsPlain: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "), 0x09, 0x0A, 0x0D,
            UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
