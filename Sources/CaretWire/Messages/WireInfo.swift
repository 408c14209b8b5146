/// A JSON object that describes a client's user. The object is kept as bytes. Other clients receive these
/// bytes unchanged.
package struct WireInfo: Hashable, Sendable {
    package let json: [UInt8]

    /// Nil unless `json` is an object of at most `Limits.info` bytes and `Limits.infoNesting` levels.
    package init?(json: [UInt8]) {
        var reader = JSONReader()
        let info = json.withUnsafeBufferPointer { bytes -> WireInfo? in
            // Invalid JSON gives nil. The caller does not need the reason.
            guard (try? reader.check(bytes)) != nil else { return nil }
            var cursor = JSONCursor(bytes)
            cursor.skipBlanks()
            return try? WireInfo(JSONValue(in: bytes, at: cursor.index))  // nil if the object is too large
        }
        guard let info else { return nil }
        self = info
    }

    /// Makes an object of strings. All names must be different. Nil if the object is too large.
    package init?(members: [(name: WireString, value: WireString)]) {
        var writer = JSONWriter()
        writer.beginObject()
        for (index, member) in members.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.quoted(member.name)
            writer.bytes.append(UInt8(ascii: ":"))
            writer.quoted(member.value)
        }
        writer.endObject()
        self.init(json: writer.bytes)
    }

    /// The string with this name; nil if there is none, or if the value is not a string.
    package func string(_ name: StaticString) -> WireString? {
        read(name) { $0.kind == .string ? $0.string.decoded : nil }
    }

    /// Whether the member with this name is true.
    package func flag(_ name: StaticString) -> Bool { read(name) { $0.bool } ?? false }

    private func read<Value>(_ name: StaticString, _ body: (JSONValue) -> Value?) -> Value? {
        json.withUnsafeBufferPointer { bytes in
            // The bytes were checked when the value was made, so reading them cannot fail.
            let fields = try? Fields(JSONValue(in: bytes, at: 0), limits: Limits.Announced())
            return fields?.value(optional: name).flatMap(body)
        }
    }

    init(_ value: JSONValue) throws(FieldFault) {
        guard value.kind == .object else { throw .wrong(value, expected: "an object") }
        let end = value.end
        let size = end - value.start
        if size > Limits.info {
            throw .tooMany(size, "bytes", limit: Limits.info, in: value, code: .tooLarge)
        }
        let nesting = value.nesting
        if nesting > Limits.infoNesting {
            let levels = "levels of objects and arrays"
            throw .tooMany(nesting, levels, limit: Limits.infoNesting, in: value, code: .tooLarge)
        }
        // A line break here is between two tokens. A space replaces the line break, because a line break
        // would end the line that contains the object.
        json = value.line[value.start..<end].map {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0
        }
    }
}
