import CaretLog

/// The turns that rooms are run in.
struct RoomQueues: Sendable {
    let turns: [Turns<RoomsRunner>]

    init(count: Int) { turns = (0..<count).map { Turns("caret.rooms.\($0)") } }

    /// In which of them the room of a document is run.
    func place(of document: DocumentID) -> Int {
        Int(UInt64(bitPattern: document.value) % UInt64(turns.count))
    }
}
