import CaretLog

/// The queues on which rooms run.
struct RoomQueues: Sendable {
    let queues: [LoopFirstQueue<RoomsRunner>]

    init(count: Int, _ makeQueue: (String) -> any WorkQueue) {
        queues = (0..<count).map { LoopFirstQueue(makeQueue("caret.rooms.\($0)")) }
    }

    subscript(document: DocumentID) -> LoopFirstQueue<RoomsRunner> { queues[index(of: document)] }

    /// The index of the queue on which the room of a document runs.
    func index(of document: DocumentID) -> Int {
        Int(UInt64(bitPattern: document.value) % UInt64(queues.count))
    }
}
