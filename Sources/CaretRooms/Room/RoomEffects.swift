import CaretCore
import CaretWire

/// The actions that events have caused, until the caller takes them.
package struct RoomEffects: Sendable {
    private(set) var actions: [RoomAction] = []
    /// For counters, log lines and the hub. The room decides nothing by them.
    var notes = RoomNotes()
    private var writer = JSONWriter()

    /// A longer line takes over the writer's buffer instead of being copied, so that the room does not keep a
    /// buffer as large as its longest line.
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

    /// A message as a line without spare capacity, because it may wait in many queues.
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
