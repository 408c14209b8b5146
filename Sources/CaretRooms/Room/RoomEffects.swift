import CaretCore
import CaretWire

/// What events have made the room do, until the caller takes it.
package struct RoomEffects: Sendable {
    private(set) var actions: [RoomAction] = []
    /// For counters, log lines and the hub. The room decides nothing by them.
    var notes = RoomNotes()
    private var writer = JSONWriter()

    /// A longer line takes the writer's memory with it instead of being copied, so that a room does not keep the memory
    /// that the text of its document once took as a line.
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

    /// A message as a line, with no memory to spare: it may wait in many queues.
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
