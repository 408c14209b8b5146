/// An object on the wire that reads itself from its fields, and writes them.
protocol WirePart {
    init(_ fields: Fields) throws(FieldFault)

    func writeMembers(to writer: inout JSONWriter)
}

/// A message that can write itself as a line.
package protocol WireMessage: Equatable, Sendable {
    /// The value of the message's `type` field.
    static var type: StaticString { get }

    /// Writes the fields that follow `type` and `id`.
    func writeMembers(to writer: inout JSONWriter)
}

extension WireMessage {
    /// Appends the message as one line with its line end. All receivers of one message can share these bytes.
    package func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        writer.bytes.append(UInt8(ascii: "{"))
        writer.key("type")
        writer.value(word: Self.type)
        writer.member("id", id)
        writeMembers(to: &writer)
        writer.endObject()
        writer.endLine()
    }
}

extension Envelope<ClientMessage> {
    package func encode(into writer: inout JSONWriter) { message.encode(id: id, into: &writer) }
}

extension Envelope<ServerMessage> {
    package func encode(into writer: inout JSONWriter) { message.encode(id: id, into: &writer) }
}

extension JSONWriter {
    /// The members `type` and `doc` of a message, and the end of its object.
    package static func endOfObject(type: StaticString, _ document: WireString?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.value(word: type)
        writer.member("doc", document)
        writer.endObject()
        return Array(writer.bytes.dropFirst())
    }
}
