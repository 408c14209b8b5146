/// What one line says, as a value that writes itself.
package protocol WireMessage: Equatable, Sendable {
    /// The word of its `type`.
    static var type: StaticString { get }

    /// Writes the members behind `type` and `id`.
    func writeMembers(to writer: inout JSONWriter)
}

extension WireMessage {
    /// Appends the message as one line, its end with it. The same bytes serve everybody who is told the same.
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
