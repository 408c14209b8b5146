import CaretCore

/// The members of an object in a checked line, read by name and type.
struct Fields {
    /// Limits on the elements of a client's message.
    let limits: Limits.Announced
    private let line: UnsafeBufferPointer<UInt8>
    private let start: Int
    private let keys: [KeyStack.Key]
    private let unescaped: [UInt8]
    private let longestString: KeyStack.StringPlace

    /// The members of a message, as found by a reader.
    init(_ members: KeyStack, of line: UnsafeBufferPointer<UInt8>, limits: Limits.Announced) {
        self.limits = limits
        self.line = line
        start = 0
        keys = members.keys
        unescaped = members.unescaped
        longestString = members.longestString
    }

    /// Decodes a line that is not a message of this protocol. `refusal` makes the error for a line that is no
    /// JSON object.
    static func decode<Value, Fault: Error>(
        _ line: [UInt8], orThrow refusal: (String) -> Fault, _ body: (Fields) throws(Fault) -> Value
    ) throws(Fault) -> Value {
        try line.withUnsafeBufferPointer { line throws(Fault) in
            var reader = JSONReader()
            do throws(JSONFault) {
                try reader.check(line)
            } catch {
                throw refusal("the line was refused: \(error)")
            }
            return try body(Fields(reader.members, of: line, limits: Limits.Announced()))
        }
    }

    /// The members of an object inside a message.
    init(_ object: JSONValue, limits: Limits.Announced, ignoresNull: Bool = false) throws(FieldFault) {
        guard object.kind == .object else { throw .wrong(object, expected: "an object") }
        self.limits = limits
        line = object.line
        start = object.start
        var members = KeyStack()
        object.forEachMember { key, value in
            if !ignoresNull || value.kind != .null { members.append(key, value: value.start) }
        }
        keys = members.keys
        unescaped = members.unescaped
        longestString = members.longestString
    }

    func value(optional name: StaticString) -> JSONValue? {
        for key in keys where key.length == name.utf8CodeUnitCount && isNamed(key, name) {
            return JSONValue(in: line, at: Int(key.value))
        }
        return nil
    }

    private func isNamed(_ key: KeyStack.Key, _ name: StaticString) -> Bool {
        let range = Int(key.start)..<Int(key.start) + key.length
        if !key.isEscaped { return UnsafeBufferPointer(rebasing: line[range]).equals(name) }
        return unescaped.withUnsafeBufferPointer { UnsafeBufferPointer(rebasing: $0[range]).equals(name) }
    }

    func value(_ name: StaticString) throws(FieldFault) -> JSONValue {
        guard let value = value(optional: name) else { throw .missing(name, at: start) }
        return value
    }

    func has(_ name: StaticString) -> Bool { value(optional: name) != nil }

    /// A fault at `field`, which does not fit the other fields.
    func fault(_ field: StaticString, _ problem: String) -> FieldFault {
        FieldFault(field: "\(field)", problem: problem, byte: value(optional: field)?.start ?? start)
    }
}

/// Reading each kind of field, required or optional.
extension Fields {
    func string(
        _ name: StaticString, atMost limit: Int = .max, orElse code: ErrorCode = .badMessage
    ) throws(FieldFault) -> WireString {
        try read(name, value(name)) { value throws(FieldFault) in
            try value.string(atMost: limit, orElse: code, found: foundString(at: value.start))
        }
    }

    /// The string that begins at `start`, if its end is known.
    private func foundString(at start: Int) -> JSONString? {
        if start == 0 || start != longestString.start { return nil }
        return JSONString(line, start + 1..<longestString.end - 1, hasEscape: longestString.hasEscape)
    }

    func string(
        optional name: StaticString, atMost limit: Int = .max, orElse code: ErrorCode = .badMessage
    ) throws(FieldFault) -> WireString? {
        guard let value = value(optional: name) else { return nil }
        return try read(name, value) { value throws(FieldFault) in
            try value.string(atMost: limit, orElse: code)
        }
    }

    /// The name of a document. Only its length is checked here.
    func document(_ name: StaticString = "doc") throws(FieldFault) -> WireString {
        try string(name, atMost: Limits.name, orElse: .badName)
    }

    func integer(
        _ name: StaticString, in range: ClosedRange<Int> = 0...Limits.integer
    ) throws(FieldFault) -> Int {
        try read(name, value(name)) { value throws(FieldFault) in try value.integer(in: range) }
    }

    func integer(
        optional name: StaticString, in range: ClosedRange<Int> = 0...Limits.integer
    ) throws(FieldFault) -> Int? {
        guard let value = value(optional: name) else { return nil }
        return try read(name, value) { value throws(FieldFault) in try value.integer(in: range) }
    }

    func revision(_ name: StaticString) throws(FieldFault) -> Revision { Revision(try integer(name)) }

    func revision(optional name: StaticString) throws(FieldFault) -> Revision? {
        try integer(optional: name).map { Revision($0) }
    }

    /// A missing flag is false.
    func flag(_ name: StaticString) throws(FieldFault) -> Bool { try flag(optional: name) ?? false }

    func flag(optional name: StaticString) throws(FieldFault) -> Bool? {
        guard let value = value(optional: name) else { return nil }
        guard let bool = value.bool else {
            throw FieldFault.wrong(value, expected: "true or false").inside("\(name)")
        }
        return bool
    }

    /// One of the words of a closed list.
    func word<Word: WireWord>(_ name: StaticString) throws(FieldFault) -> Word {
        try read(name, value(name)) { value throws(FieldFault) in try value.word() }
    }

    func word<Word: WireWord>(optional name: StaticString) throws(FieldFault) -> Word? {
        guard let value = value(optional: name) else { return nil }
        return try read(name, value) { value throws(FieldFault) in try value.word() }
    }

    /// One of the words of a list that later versions may extend. Unknown words are kept.
    func openWord<Word: WireWord>(_ name: StaticString) throws(FieldFault) -> OpenWord<Word> {
        let word = try string(name)
        return Word.all.first { $0.matches(word) }.map { .known($0) } ?? .unknown(word)
    }

    func array<Element>(
        _ name: StaticString, atMost limit: Int = .max, orElse code: ErrorCode = .badMessage,
        _ each: (JSONValue) throws(FieldFault) -> Element
    ) throws(FieldFault) -> [Element] {
        try read(name, value(name)) { value throws(FieldFault) in
            try value.array(atMost: limit, orElse: code, each)
        }
    }

    func array<Element>(
        optional name: StaticString, _ each: (JSONValue) throws(FieldFault) -> Element
    ) throws(FieldFault) -> [Element]? {
        guard let value = value(optional: name) else { return nil }
        return try read(name, value) { value throws(FieldFault) in
            try value.array(atMost: .max, orElse: .badMessage, each)
        }
    }

    /// Reads a field. If reading throws a fault, adds the field's name to the fault.
    @inline(__always)
    func read<Value>(
        _ name: StaticString, _ value: JSONValue, _ read: (JSONValue) throws(FieldFault) -> Value
    ) throws(FieldFault) -> Value {
        do throws(FieldFault) {
            return try read(value)
        } catch {
            throw error.inside("\(name)")
        }
    }
}

extension JSONValue {
    /// `found` is the value as a string, if the caller knows it.
    func string(atMost limit: Int, orElse code: ErrorCode, found: JSONString? = nil) throws(FieldFault)
        -> WireString
    {
        guard kind == .string else { throw .wrong(self, expected: "a string") }
        let string = (found ?? string).decoded
        if string.utf8.count > limit {
            throw .tooMany(string.utf8.count, "bytes", limit: limit, in: self, code: code)
        }
        return string
    }

    func integer(in range: ClosedRange<Int>) throws(FieldFault) -> Int {
        guard let integer, range.contains(integer) else {
            throw .wrong(self, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func word<Word: WireWord>() throws(FieldFault) -> Word {
        let found = kind == .string ? string.decoded : nil
        guard let found, let word = Word.all.first(where: { $0.matches(found) }) else {
            throw .wrong(self, expected: Word.all.map { "\"\($0.word)\"" }.joined(separator: " or "))
        }
        return word
    }

    func array<Element>(
        atMost limit: Int, orElse code: ErrorCode, _ read: (JSONValue) throws(FieldFault) -> Element
    ) throws(FieldFault) -> [Element] {
        guard kind == .array else { throw .wrong(self, expected: "an array") }
        var elements: [Element] = []
        try forEachElement { (element, index) throws(FieldFault) in
            if index >= limit {
                var count = 0
                forEachElement { _, _ in count += 1 }
                throw .tooMany(count, "elements", limit: limit, in: self, code: code)
            }
            do throws(FieldFault) {
                elements.append(try read(element))
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return elements
    }

    /// Two integers in an array.
    func pair() throws(FieldFault) -> (Int, Int) {
        guard kind == .array else { throw .wrong(self, expected: "an array of two integers") }
        var (first, second, count) = (0, 0, 0)
        try forEachElement { (element, index) throws(FieldFault) in
            count = index + 1
            if index > 1 { return }
            do throws(FieldFault) {
                let integer = try element.integer(in: 0...Limits.integer)
                if index == 0 { first = integer } else { second = integer }
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        if count != 2 {
            let problem = "has \(count) elements; expected 2"
            throw FieldFault(field: "", problem: problem, byte: start)
        }
        return (first, second)
    }
}
