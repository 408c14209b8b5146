import CaretClient
import CaretCore
import CaretReplica
import Testing

@Suite("Updates of a document that wait for their reader") struct PendingUpdatesTests {
    private func edited(_ number: Int) throws -> DocumentUpdate {
        .edited(try Change([Edit(0..<0, "\(number)")]), selections: [Selection(caret: Offset(number))])
    }

    @Test("all edits wait for the reader; of other kinds, only the newest update")
    func latest() throws {
        var updates = PendingUpdates()
        let added: [DocumentUpdate] = [
            .state(.sending), .renamed("b"), try edited(1), .peers([]), .state(.saved), .renamed("c"),
            try edited(2),
        ]
        for update in added { updates.add(update) }
        #expect(
            updates.drain() == [try edited(1), try edited(2), .renamed("c"), .peers([]), .state(.saved)])
        #expect(updates.drain() == [])
    }

    @Test("one empty edit replaces all waiting edits if there are too many")
    func tooMany() throws {
        var updates = PendingUpdates()
        let edits = try (1...PendingUpdates.maxEdits).map { try edited($0) }
        for edit in edits { updates.add(edit) }
        var full = updates
        #expect(full.drain() == edits)
        updates.add(try edited(7))
        updates.add(try edited(8))
        #expect(updates.drain() == [.edited(Change(), selections: [Selection(caret: 7)]), try edited(8)])
    }
}
