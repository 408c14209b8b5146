import CaretLog

/// The queues that rooms run on.
struct RoomQueues: Sendable {
    let inboxes: [Inbox<RoomJob>]

    init(count: Int) { inboxes = (0..<count).map { Inbox("caret.rooms.\($0)") } }

    /// On which of them the room of a document is.
    func place(of document: DocumentID) -> Int {
        Int(UInt64(bitPattern: document.value) % UInt64(inboxes.count))
    }
}
