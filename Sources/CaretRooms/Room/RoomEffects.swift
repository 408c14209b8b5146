import CaretCore
import CaretWire

/// The actions that events have caused, until the caller takes them.
package struct RoomEffects: Sendable {
    private(set) var actions: [RoomAction] = []
    /// Data for counters, log lines and the hub. The room's decisions do not depend on it.
    var notes = RoomNotes()
    private var writer = JSONWriter()

    /// Lines of at most this many bytes are copied out of the writer's buffer. A longer line takes over the
    /// buffer, and the writer gets a new one. Otherwise the room would keep a buffer as large as its longest
    /// line.
    private static let mostCopied = 4 << 10

    package mutating func add(_ action: RoomAction) { actions.append(action) }

    mutating func takeActions() -> [RoomAction] {
        defer { actions = [] }
        return actions
    }

    mutating func takeNotes() -> RoomNotes {
        defer { notes = RoomNotes() }
        return notes
    }

    /// Encodes a message as a line. Short lines get no spare capacity, because they may wait in many queues.
    mutating func line<Message: WireMessage>(_ message: Message, _ id: RequestID? = nil) -> [UInt8] {
        writer.bytes.removeAll(keepingCapacity: true)
        message.encode(id: id, into: &writer)
        if writer.bytes.count < RoomEffects.mostCopied {
            return writer.bytes.withUnsafeBufferPointer(Array.init)
        }
        defer { writer = JSONWriter() }
        return writer.bytes
    }
}
