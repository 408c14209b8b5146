import CaretCore
import CaretLog
import CaretRooms
import TestSupport
import Testing

@Suite("The calls of rooms and the hub to a store") struct StoreDriverTests {
    /// A store, and a room's calls to it. The room's appends get conflicts from another writer until the room
    /// uses the store's lock.
    private func callsOfRoom() throws -> (store: StoreModel, calls: [StoreCall]) {
        var world = try RoomWorld("ab")
        let store = world.store
        world.openQuietly(.ann)
        var calls: [StoreCall] = []
        world.holds = { action in
            if let call = action.storeCall { calls.append(call) }
            return action.isAppend || action.isAppendLocked
        }
        world.push(.ann, [(2, 2, "!")], base: 1, seq: 1)
        for number in 1...2 {
            try world.commitElsewhere([(0, 0, "\(number)")], seq: Int64(number))
            world.answerAppend(.conflict(head: Revision(number + 1)))
        }
        #expect(world.held.last?.isAppendLocked == true)
        return (store, calls)
    }

    @Test("each call gets the answer of the store's method")
    func answers() async throws {
        let room = try callsOfRoom()
        var model = room.store
        let store = MemoryStore()
        store.arrange { $0 = room.store }
        let driver = StoreDriver(store) { call, id, answer in
            #expect(call == .undelete(DocumentID(7)) && id == CallID(3))
            answer(.undeleted(.live))
        }
        let (first, second) = (DocumentID(1), DocumentID(2))
        let (name, other, user) = (try DocumentName("b"), try DocumentName("c"), try UserName("ann"))
        let calls: [StoreCall] = [
            .create(name, nil, at: 9), .find(name), .list(prefix: "", after: nil, limit: 9),
            .entries([first, second]), .text(first, at: 1), .text(second, at: nil), .load(first),
            .pusher(Person.ann.participant.pusher, in: first), .read(first, after: 0, limit: 999),
            .rename(second, to: other), .delete(second, at: 11), .delete(second, at: 12), .load(second),
            .renewEpochs(known: 9, of: first), .tokens(.add(user, .all, expires: 99, at: 13)),
            .tokens(.noteUses([TokenUse(TokenID(1), at: 14), TokenUse(TokenID(9), at: 15)])),
            .tokens(.list(after: nil, limit: 9, weight: 999)), .tokens(.revoke(TokenID(1))),
            .tokens(.revoke(TokenID(1))),
        ]
        for call in room.calls + calls {
            let answer: StoreAnswer = await withCheckedContinuation { continuation in
                driver.call(call, as: CallID(1)) { continuation.resume(returning: $0) }
            }
            let expected = model.answer(call)
            #expect(answer == expected, "\(call)")
        }
        let answer: StoreAnswer = await withCheckedContinuation { continuation in
            driver.call(.admin(.undelete(DocumentID(7))), as: CallID(3)) {
                continuation.resume(returning: $0)
            }
        }
        #expect(answer == .admin(.undeleted(.live)))
    }

    /// The store may give several reasons. Every reason except `gone` means damage.
    @Test("a document whose head cannot be read is loaded as damaged")
    func unreadableHead() throws {
        let model = try RoomWorld("ab").store
        let entry = try model.entry(of: DocumentID(1)).get()
        let head = try model.text(of: DocumentID(1), at: nil).get()
        #expect(LoadedDocument.result(entry, .success(head)) == .success(LoadedDocument(entry, head)))
        for refusal in [HistoryRefusal.ahead(head: 1), .trimmed(start: 1), .wrongText, .refused(.damaged)] {
            #expect(LoadedDocument.result(entry, .failure(refusal)) == .failure(.damaged))
        }
        #expect(LoadedDocument.result(entry, .failure(.refused(.gone))) == .failure(.gone))
    }
}
