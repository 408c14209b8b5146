/// Reads JSON5 (json5.org, version 1.0.0), the format of the configuration file.
///
/// The reader is strict: it refuses duplicate keys and lone surrogates.
package struct JSON5Reader {
    /// The largest size of a text, in bytes. A file with all keys and pages of comments is ten times smaller.
    package static let longest = 256 << 10
    /// The most nested levels of arrays and objects, including the outermost. The limit exists because the
    /// reader is recursive and the stack is finite.
    package static let deepest = 16

    var cursor: JSON5Cursor

    package static func read(_ bytes: [UInt8]) throws(JSON5Fault) -> JSON5Value {
        if bytes.count > longest {
            throw JSON5Fault(reason: .tooLong(bytes: bytes.count), position: .start)
        }
        var reader = JSON5Reader(cursor: try JSON5Cursor(bytes))
        let value = try reader.value(level: 1)
        try reader.cursor.skipBlanks()
        if reader.cursor.scalar != nil { throw reader.cursor.fault(expected: .end) }
        return value
    }

    private mutating func value(level: Int) throws(JSON5Fault) -> JSON5Value {
        try cursor.skipBlanks()
        let position = cursor.position
        return JSON5Value(kind: try kind(level: level), position: position)
    }

    private mutating func kind(level: Int) throws(JSON5Fault) -> JSON5Value.Kind {
        guard let scalar = cursor.scalar else { throw cursor.fault(expected: .value) }
        switch scalar {
        case "{": return .object(try members(level: level))
        case "[": return .array(try items(level: level))
        case "\"", "'": return .string(try string())
        case "+", "-", ".", "0"..."9": return .number(try number())
        default:
            guard scalar.beginsName else { throw cursor.fault(expected: .value) }
            return try word()
        }
    }

    private mutating func word() throws(JSON5Fault) -> JSON5Value.Kind {
        let start = cursor
        let word = cursor.run(while: \.continuesName)
        switch word {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "Infinity", "NaN": return .number(JSON5Number(written: word, whole: nil))
        default: throw start.fault(.unknownWord(word))
        }
    }

    // MARK: Arrays and objects

    private mutating func items(level: Int) throws(JSON5Fault) -> [JSON5Value] {
        let unclosed = try open(.array, level: level)
        var items: [JSON5Value] = []
        while try !closes(with: "]", or: unclosed) {
            items.append(try value(level: level + 1))
            try cursor.skipBlanks()
            if cursor.scalar == nil { throw unclosed }
            guard cursor.scalar == "]" || cursor.skip(",") else {
                throw cursor.fault(expected: .commaOrBracket)
            }
        }
        return items
    }

    private mutating func members(level: Int) throws(JSON5Fault) -> [JSON5Member] {
        let unclosed = try open(.object, level: level)
        var members: [JSON5Member] = []
        var positions: [[UInt8]: TextPosition] = [:]
        while try !closes(with: "}", or: unclosed) {
            let start = cursor
            let key = try key()
            // Keys are compared as bytes. Swift would treat strings of different bytes as equal if they look
            // the same.
            if let first = positions.updateValue(start.position, forKey: Array(key.utf8)) {
                throw start.fault(.doubledKey(key, first: first))
            }
            try cursor.skipBlanks()
            guard cursor.skip(":") else { throw cursor.fault(expected: .colon) }
            members.append(
                JSON5Member(key: key, position: start.position, value: try value(level: level + 1)))
            try cursor.skipBlanks()
            if cursor.scalar == nil { throw unclosed }
            guard cursor.scalar == "}" || cursor.skip(",") else {
                throw cursor.fault(expected: .commaOrBrace)
            }
        }
        return members
    }

    /// Skips the opening bracket. Returns the fault that the caller throws if the bracket is never closed.
    private mutating func open(_ bracket: JSON5Fault.Bracket, level: Int) throws(JSON5Fault) -> JSON5Fault {
        if level > Self.deepest { throw cursor.fault(.tooDeep) }
        let unclosed = cursor.fault(.notClosed(bracket))
        cursor.advance()
        return unclosed
    }

    private mutating func closes(
        with bracket: Unicode.Scalar, or unclosed: JSON5Fault
    ) throws(JSON5Fault) -> Bool {
        try cursor.skipBlanks()
        if cursor.scalar == nil { throw unclosed }
        return cursor.skip(bracket)
    }

    private mutating func key() throws(JSON5Fault) -> String {
        switch cursor.scalar {
        case "\"", "'": return try string()
        case let scalar?:
            guard scalar.beginsName || scalar == "\\" else { throw cursor.fault(expected: .key) }
            return try name()
        case nil: throw cursor.fault(expected: .key)
        }
    }
}
