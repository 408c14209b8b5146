import CaretCore

// Reading and writing the kinds of fields that the description of the protocol names.

extension Fields {
    func seq(_ name: StaticString) throws(FieldFault) -> PushNumber { PushNumber(try integer(name)) }

    func seq(optional name: StaticString) throws(FieldFault) -> PushNumber? {
        try integer(optional: name).map { PushNumber($0) }
    }

    func document(optional name: StaticString) throws(FieldFault) -> WireString? {
        has(name) ? try document(name) : nil
    }

    func openWord<Word: WireWord>(optional name: StaticString) throws(FieldFault) -> OpenWord<Word>? {
        has(name) ? try openWord(name) : nil
    }

    /// Throws unless this is the version of the protocol that this code speaks.
    func checkVersion(_ name: StaticString) throws(FieldFault) {
        _ = try integer(name, in: Limits.protocolVersion...Limits.protocolVersion)
    }

    func pageLimit() throws(FieldFault) -> Int {
        try integer(optional: "limit", in: Limits.items) ?? Limits.itemsByDefault
    }

    func info() throws(FieldFault) -> WireInfo? {
        guard let value = value(optional: "info") else { return nil }
        return try read("info", value) { value throws(FieldFault) in try WireInfo(value) }
    }

    /// A CRC-32 as eight digits.
    func crc32(_ name: StaticString) throws(FieldFault) -> UInt32 {
        try read(name, value(name)) { value throws(FieldFault) in
            let digits = try value.string(atMost: .max, orElse: .badMessage)
            guard digits.utf8.count == 8, digits.utf8.allSatisfy({ $0.isLowercaseHexDigit }) else {
                throw .wrong(value, expected: "a string of eight lowercase hexadecimal digits")
            }
            return digits.utf8.reduce(0) { $0 << 4 | UInt32($1.hexDigit ?? 0) }
        }
    }

    // MARK: Lists and objects

    func strings(_ name: StaticString) throws(FieldFault) -> [WireString] {
        try array(name) { value throws(FieldFault) in try value.string(atMost: .max, orElse: .badMessage) }
    }

    func strings(optional name: StaticString) throws(FieldFault) -> [WireString]? {
        has(name) ? try strings(name) : nil
    }

    /// Edits. The number of those that the server sent is not limited.
    func edits(_ name: StaticString, atMost limit: Int = .max) throws(FieldFault) -> [WireEdit] {
        try array(name, atMost: limit, orElse: .tooLarge) { value throws(FieldFault) in try WireEdit(value) }
    }

    func edits(optional name: StaticString, atMost limit: Int = .max) throws(FieldFault) -> [WireEdit]? {
        has(name) ? try edits(name, atMost: limit) : nil
    }

    func selections(_ name: StaticString, atMost limit: Int = .max) throws(FieldFault) -> [WireSelection] {
        try array(name, atMost: limit, orElse: .tooLarge) { value throws(FieldFault) in
            try WireSelection(value)
        }
    }

    func range(optional name: StaticString) throws(FieldFault) -> WireRange? {
        guard let value = value(optional: name) else { return nil }
        return try read(name, value) { value throws(FieldFault) in try WireRange(value) }
    }

    func part<Part: WirePart>(_ name: StaticString) throws(FieldFault) -> Part {
        let limits = limits
        return try read(name, value(name)) { value throws(FieldFault) in
            try Part(Fields(value, limits: limits))
        }
    }

    func part<Part: WirePart>(optional name: StaticString) throws(FieldFault) -> Part? {
        has(name) ? try part(name) : nil
    }

    func parts<Part: WirePart>(
        _ name: StaticString, atMost limit: Int = .max, orElse code: ErrorCode = .badMessage
    ) throws(FieldFault) -> [Part] {
        let limits = limits
        return try array(name, atMost: limit, orElse: code) { value throws(FieldFault) in
            try Part(Fields(value, limits: limits))
        }
    }

    func parts<Part: WirePart>(optional name: StaticString) throws(FieldFault) -> [Part]? {
        has(name) ? try parts(name) : nil
    }
}

extension UInt8 {
    fileprivate var isLowercaseHexDigit: Bool { hexDigit != nil && (isDigit || self & 0x20 != 0) }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ revision: Revision) { member(name, revision.value) }

    mutating func member(_ name: StaticString, _ revision: Revision?) {
        if let revision { member(name, revision) }
    }

    #if arch(wasm32)
        mutating func member(_ name: StaticString, _ seq: PushNumber) { member(name, Int(seq)) }

        mutating func member(_ name: StaticString, _ seq: PushNumber?) {
            if let seq { member(name, seq) }
        }
    #endif

    mutating func memberOfPageLimit(_ limit: Int) {
        if limit != Limits.itemsByDefault { member("limit", limit) }
    }

    mutating func member(_ name: StaticString, crc32: UInt32) {
        let digits = String(crc32, radix: 16)
        member(name, WireString(String(repeating: "0", count: 8 - digits.utf8.count) + digits))
    }

    mutating func member(_ name: StaticString, _ info: WireInfo?) {
        guard let info else { return }
        key(name)
        json(info.json)
    }

    // MARK: Lists and objects

    mutating func member(_ name: StaticString, _ strings: [WireString]) {
        member(name, strings) { $0.value($1) }
    }

    mutating func member(_ name: StaticString, _ edits: [WireEdit]) {
        member(name, edits) { writer, edit in
            writer.beginObject()
            writer.key("range")
            writer.pair(edit.range.start, edit.range.end)
            writer.member("text", edit.text)
            writer.endObject()
        }
    }

    mutating func member(_ name: StaticString, _ selections: [WireSelection]) {
        member(name, selections) { $0.pair($1.anchor, $1.head) }
    }

    mutating func member(_ name: StaticString, _ range: WireRange?) {
        guard let range else { return }
        key(name)
        pair(range.start, range.end)
    }

    mutating func member(_ name: StaticString, _ part: (some WirePart)?) {
        guard let part else { return }
        key(name)
        object(part)
    }

    mutating func member(_ name: StaticString, _ parts: [some WirePart]) {
        member(name, parts) { $0.object($1) }
    }

    private mutating func object(_ part: some WirePart) {
        beginObject()
        part.writeMembers(to: &self)
        endObject()
    }

    mutating func pair(_ first: Int, _ second: Int) {
        beginArray()
        value(first)
        value(second)
        endArray()
    }
}
