import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: appending") struct AppendContractTests {
    @Test(
        "an append at the head is committed, and a read returns its changes",
        arguments: StoreKind.allCases)
    func commit(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("a😀é")
        let reading = try await document.store.read(document.entry.id, after: 0).get()
        #expect(reading.segment == Segment(first: 1, changes: document.log))
        #expect(reading.head == 3)
        let entry = try await document.store.find(document.entry.name).get()
        #expect(entry.head == 3 && entry.length == document.text.length && entry.updated == 1003)
    }

    @Test("an append of several changes makes one revision for each change", arguments: StoreKind.allCases)
    func severalChanges(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        let first = try SampleLog.pushed(Change([SampleChange.edit(0, 0, "ab")]), in: TextBuffer(), seq: 1)
        let second = try SampleLog.pushed(
            Change([SampleChange.edit(1, 2, "")]), in: TextBuffer("ab"), by: SampleLog.bob, seq: 9)
        let append = Append(
            document: document.entry.id, epoch: document.entry.epoch, expected: 0, changes: [first, second],
            lineBreak: .crlf)
        #expect(await document.store.append(append) == .committed(head: 2))
        try document.follow(append)
        #expect(
            try await document.store.text(of: document.entry.id).get()
                == Snapshot(revision: 2, text: TextBuffer("a")))
        #expect(try await document.store.find(document.entry.name).get().lineBreak == .crlf)
    }

    @Test(
        "the second append at the same revision conflicts and writes nothing",
        arguments: StoreKind.allCases)
    func conflict(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        let first = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        let second = try document.append([SampleChange.edit(0, 0, "y")], by: SampleLog.bob, seq: 1)
        #expect(await document.store.append([first, second]) == [.committed(head: 1), .conflict(head: 1)])
        try document.follow(first)
        #expect(try await document.store.text(of: document.entry.id).get().text == document.text)
        #expect(try await document.store.pusher(SampleLog.bob, in: document.entry.id).get().entry == nil)
        // An append also conflicts if it expects a later head than the store has.
        let ahead = Append(
            document: document.entry.id, epoch: document.entry.epoch, expected: 5, changes: second.changes)
        #expect(await document.store.append(ahead) == .conflict(head: 1))
    }

    @Test("an append to several documents has a separate outcome for each", arguments: StoreKind.allCases)
    func manyDocuments(kind: StoreKind) async throws {
        let document = try await TrackedDocument(kind)
        guard case .created(let other) = await document.store.create(try DocumentName("other")) else {
            throw Unexpected(what: "the other document was not created")
        }
        let change = try SampleLog.pushed(Change([SampleChange.edit(0, 0, "x")]), in: TextBuffer(), seq: 1)
        func append(_ entry: DocumentEntry, epoch: Epoch, at expected: Revision) -> Append {
            Append(document: entry.id, epoch: epoch, expected: expected, changes: [change])
        }
        let outcomes = await document.store.append([
            append(document.entry, epoch: document.entry.epoch, at: 3),
            append(other, epoch: other.epoch, at: 0),
            append(document.entry, epoch: other.epoch, at: 0),
        ])
        #expect(outcomes == [.conflict(head: 0), .committed(head: 1), .documentGone])
    }

    @Test("an append to a deleted or unknown document returns gone", arguments: StoreKind.allCases)
    func gone(kind: StoreKind) async throws {
        let document = try await TrackedDocument(kind)
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await document.store.delete(document.entry.id) == nil)
        #expect(await document.store.append(append) == .documentGone)
        let nowhere = Append(
            document: DocumentID(999), epoch: document.entry.epoch, expected: 0, changes: append.changes)
        #expect(await document.store.append(nowhere) == .documentGone)
    }

    @Test(
        "an append may store only a kind of line break, without a new revision",
        arguments: StoreKind.allCases)
    func lineBreakAlone(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("a")
        for lineBreak in [LineBreak.crlf, .crlf, nil, .lf] {
            let append = Append(
                document: document.entry.id, epoch: document.entry.epoch, expected: 1, changes: [],
                lineBreak: lineBreak)
            #expect(await document.store.append(append) == .committed(head: 1))
            let kept = try await document.store.find(document.entry.name).get().lineBreak
            #expect(kept == lineBreak ?? .crlf)
        }
        let early = Append(
            document: document.entry.id, epoch: document.entry.epoch, expected: 0, changes: [],
            lineBreak: .crlf)
        #expect(await document.store.append(early) == .conflict(head: 1))
        #expect(try await document.store.find(document.entry.name).get().lineBreak == .lf)
    }

    @Test(
        "an append under the store's lock is rebased, so it cannot conflict", arguments: StoreKind.allCases)
    func locked(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        let late = try document.append([SampleChange.edit(0, 0, "late")], by: SampleLog.bob, seq: 1)
        try await document.type("abc")
        let text = document.text
        let answer = await document.store.appendLocked(late) { missed in
            let over = missed.compactMap { try? $0.change }
            let changes = late.changes.compactMap { change -> PushedChange? in
                guard let moved = try? change.logged.change.rebased(over: over, tie: .otherFirst) else {
                    return nil
                }
                return try? SampleLog.pushed(moved, in: text, by: SampleLog.bob, seq: 1)
            }
            return changes
        }
        #expect(answer.missed == document.log && answer.outcome == .committed(head: 4))
        #expect(try await document.store.text(of: document.entry.id).get().text == TextBuffer("abclate"))
    }

    /// Rules P8 and P10.
    @Test(
        "the store remembers each pusher's last push with its revision",
        arguments: StoreKind.allCases)
    func pushers(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("ab")
        try await document.type("c", by: SampleLog.bob)
        let (store, id) = (document.store, document.entry.id)
        let ann = try await store.pusher(SampleLog.ann, in: id).get()
        #expect(ann.head == 3)
        #expect(ann.entry == PusherEntry(seq: 2, revision: 2, digest: SampleLog.digest(2), used: 1002))
        #expect(try await store.pusher(SampleLog.bob, in: id).get().entry?.revision == 3)
        let otherClient = Pusher(user: "ann", client: "another")
        #expect(try await store.pusher(otherClient, in: id).get() == PusherAnswer(entry: nil, head: 3))
        #expect(refusal(await store.pusher(SampleLog.ann, in: DocumentID(999))) == .gone)
    }

    @Test(
        "to open a document is one call: its entry, its text, the opener, and all pushers if they are few",
        arguments: StoreKind.allCases)
    func open(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("ab")
        try await document.type("c", by: SampleLog.bob)
        let (store, name, id) = (document.store, document.entry.name, document.entry.id)
        let ann = try #require(try await store.pusher(SampleLog.ann, in: id).get().entry)
        let bob = try #require(try await store.pusher(SampleLog.bob, in: id).get().entry)
        let entries = [KnownPusher(SampleLog.ann, ann), KnownPusher(SampleLog.bob, bob)]
        for (limit, pushers) in [(3, entries), (2, entries), (1, nil), (0, nil)] {
            let loaded = try await store.open(name, by: SampleLog.bob, pushers: limit).get()
            #expect(loaded.entry == (try await store.find(name).get()))
            #expect(loaded.head == (try await store.text(of: id).get()))
            #expect(loaded.opener == bob && loaded.pushers == pushers)
        }
        let stranger = Pusher(user: "ann", client: "another")
        for limit in [0, 2] {
            let loaded = try await store.open(name, by: stranger, pushers: limit).get()
            #expect(loaded.opener == nil)
        }
        let other = try DocumentName("other")
        #expect(refusal(await store.open(other, by: stranger, pushers: 2)) == .gone)
    }
}
