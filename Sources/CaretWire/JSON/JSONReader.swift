import CaretCore

/// Checks that a line is one strict JSON object, and finds the members of that object.
///
/// Strict means RFC 8259 and I-JSON, as docs/protocol/json.md defines it. The check includes values that no
/// message uses. The reader makes one pass without recursion. Its memory is proportional to the number of
/// keys, and is reused for the next line.
struct JSONReader {
    /// The keys and values of the object, after `check`.
    private(set) var members = KeyStack()
    private var levels: [Level] = []

    private enum Step {
        case value, key, afterValue, end
    }

    /// An open object or array. A level takes only four bytes, because every connection keeps a list of
    /// levels.
    private struct Level {
        private let baseOrMinusOne: Int32

        init(_ base: Int?) { baseOrMinusOne = Int32(base ?? -1) }

        /// Where the object's keys begin in `members`; nil for an array.
        var base: Int? { baseOrMinusOne < 0 ? nil : Int(baseOrMinusOne) }
    }

    mutating func check(_ line: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
        members.removeAll()
        levels.removeAll(keepingCapacity: true)
        try checkEncoding(line)
        var cursor = JSONCursor(line)
        cursor.skipBlanks()
        guard cursor.byte == UInt8(ascii: "{") else { throw cursor.fault(expected: .object) }
        var step = Step.value
        while step != .end {
            switch step {
            case .value: step = try readValue(&cursor)
            case .key: step = try readKey(&cursor)
            case .afterValue: step = try readSeparator(&cursor)
            case .end: break
            }
        }
        cursor.skipBlanks()
        guard cursor.isAtEnd else { throw cursor.fault(expected: .end) }
    }

    /// Frees the extra memory that an unusual line needed.
    mutating func shrink() { members.shrink() }

    private func checkEncoding(_ line: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
        guard line.count < KeyStack.longestLine else { throw JSONFault(reason: .tooLong, byte: line.count) }
        if line.count >= 3 && line[0] == 0xEF && line[1] == 0xBB && line[2] == 0xBF {
            throw JSONFault(reason: .byteOrderMark, byte: 0)
        }
        if let index = line.firstInvalidUTF8 { throw JSONFault(reason: .notUTF8, byte: index) }
    }

    private mutating func readValue(_ cursor: inout JSONCursor) throws(JSONFault) -> Step {
        cursor.skipBlanks()
        switch cursor.byte {
        case UInt8(ascii: "\""):
            let start = cursor.index
            let hasEscape = try cursor.skipString()
            members.noteString(from: start, to: cursor.index, hasEscape: hasEscape)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): try cursor.skipNumber()
        case UInt8(ascii: "{"): return try open(&cursor, base: members.count)
        case UInt8(ascii: "["): return try open(&cursor, base: nil)
        case UInt8(ascii: "t"): try cursor.skipWord("true")
        case UInt8(ascii: "f"): try cursor.skipWord("false")
        case UInt8(ascii: "n"): try cursor.skipWord("null")
        default: throw cursor.fault(expected: .value)
        }
        return .afterValue
    }

    /// Opens an object whose keys begin at `base`, or an array.
    private mutating func open(_ cursor: inout JSONCursor, base: Int?) throws(JSONFault) -> Step {
        guard levels.count < Limits.nesting else { throw cursor.fault(.tooDeep) }
        levels.append(Level(base))
        cursor.index += 1
        cursor.skipBlanks()
        switch (base, cursor.byte) {
        case (nil, UInt8(ascii: "]")), (.some, UInt8(ascii: "}")): return try close(&cursor)
        case (nil, _): return .value
        case (.some, _): return .key
        }
    }

    private mutating func readKey(_ cursor: inout JSONCursor) throws(JSONFault) -> Step {
        cursor.skipBlanks()
        guard cursor.byte == UInt8(ascii: "\"") else { throw cursor.fault(expected: .key) }
        let start = cursor.index + 1
        let hasEscape = try cursor.skipString()
        let key = JSONString(cursor.bytes, start..<cursor.index - 1, hasEscape: hasEscape)
        cursor.skipBlanks()
        guard cursor.byte == UInt8(ascii: ":") else { throw cursor.fault(expected: .colon) }
        cursor.index += 1
        cursor.skipBlanks()
        members.append(key, value: cursor.index)
        return .value
    }

    private mutating func readSeparator(_ cursor: inout JSONCursor) throws(JSONFault) -> Step {
        cursor.skipBlanks()
        let isObject = levels.last?.base != nil
        if cursor.byte == UInt8(ascii: ",") {
            cursor.index += 1
            return isObject ? .key : .value
        }
        guard cursor.byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw cursor.fault(expected: isObject ? .commaOrBrace : .commaOrBracket)
        }
        return try close(&cursor)
    }

    /// Ends the innermost object or array. Keeps the keys of the outermost object, because they are the
    /// members of the message.
    private mutating func close(_ cursor: inout JSONCursor) throws(JSONFault) -> Step {
        cursor.index += 1
        if let base = levels.removeLast().base {
            if let start = members.duplicate(from: base, in: cursor.bytes) {
                throw JSONFault(reason: .duplicateKey, byte: start)
            }
            if !levels.isEmpty { members.removeLast(to: base) }
        }
        return levels.isEmpty ? .end : .afterValue
    }
}
