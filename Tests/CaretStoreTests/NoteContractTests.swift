import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("The store's contract: notes") struct NoteContractTests {
    /// A document with the text `abc`, one revision for each letter.
    private func document(on store: any SnapshotStore) async throws -> TrackedDocument {
        var document = try await TrackedDocument(on: store)
        try await document.type("abc")
        return document
    }

    private func content(
        _ text: String, answering parent: Int64? = nil, at place: NotePlace? = nil
    ) -> NoteContent {
        NoteContent(
            parent: parent.map { NoteNumber($0) }, user: "ann", time: 7, text: ByteString(text),
            quote: place == nil ? "" : "b", place: place)
    }

    /// The letter at an offset of the text at a revision.
    private func letter(_ offset: Int, at revision: Revision) -> NotePlace {
        NotePlace(at: revision, Selection(anchor: Offset(offset), head: Offset(offset + 1)))
    }

    private func written(_ result: NoteResult) throws -> NoteStamp {
        guard case .written(let stamp) = result else { throw Unexpected(what: "\(result)") }
        return stamp
    }

    private func edit(_ edit: Edit, in document: inout TrackedDocument) async throws {
        let append = try document.append([edit], seq: Int64(document.head.value + 1))
        #expect(await document.store.append(append) == .committed(head: document.head.next))
        try document.follow(append)
    }

    private func words(_ note: Note, in document: TrackedDocument) throws -> String {
        let place = try #require(note.content.place)
        #expect(place.revision == document.head)
        let text = Array(document.text.string.utf16)
        return String(decoding: text[place.words.start.value..<place.words.end.value], as: UTF16.self)
    }

    @Test("notes are numbered, and each write raises the counter", arguments: StoreKind.allCases)
    func numbers(kind: StoreKind) async throws {
        let store = try kind.make()
        let document = try await document(on: store)
        let id = document.entry.id
        #expect(try await store.notes(of: id).get().counter == 0)
        let first = try written(await store.addNote(content("one", at: letter(1, at: 3)), to: id))
        let answer = try written(await store.addNote(content("two", answering: 1), to: id))
        #expect((first.number, first.version, first.counter) == (NoteNumber(1), 1, 1))
        #expect((answer.number, answer.version, answer.counter) == (NoteNumber(2), 1, 2))
        let changed = try written(
            await store.changeNote(first.number, of: id, version: 1, .rewrite("uno", nil, at: 9)))
        #expect((changed.version, changed.counter) == (2, 3))
        let page = try await store.notes(of: id).get()
        #expect(page.isWhole && page.counter == 3 && page.notes.map(\.number.value) == [1, 2])
        #expect(page.notes[0].content.text == "uno" && page.notes[0].edited == 9)
        #expect(page.notes[0].content.place == letter(1, at: 3))
        let later = try await store.notes(of: id, since: 2).get()
        #expect(!later.isWhole && later.notes.map(\.number.value) == [1])
        // Nobody knows a later count, unless the store was replaced by an older copy.
        #expect(try await store.notes(of: id, since: 9).get().isWhole)
    }

    @Test("a change names the version that it changes", arguments: StoreKind.allCases)
    func versions(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        let note = try written(await store.addNote(content("one"), to: id))
        #expect(
            await store.changeNote(note.number, of: id, version: 2, .resolve) == .changed(note))
        _ = try written(await store.changeNote(note.number, of: id, version: 1, .resolve))
        #expect(try await store.notes(of: id).get().notes[0].state == .resolved)
        _ = try written(await store.changeNote(note.number, of: id, version: 2, .reopen))
        _ = try written(await store.changeNote(note.number, of: id, version: 3, .reject))
        let last = try await store.notes(of: id).get().notes[0]
        #expect(last.state == .rejected)
        #expect(last.content.place == nil)
        #expect(await store.changeNote(note.number, of: id, version: 4, .reopen) == .final)
        #expect(await store.changeNote(NoteNumber(9), of: id, version: 1, .reopen) == .missing)
    }

    @Test(
        "a page has the notes after a number, and a change can be for the author alone",
        arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        for text in ["one", "two", "three"] { _ = try written(await store.addNote(content(text), to: id)) }
        let page = try await store.notes(of: id, limit: 2).get()
        #expect(page.notes.map(\.number.value) == [1, 2])
        #expect(page.hasMore)
        let rest = try await store.notes(of: id, after: 2, limit: 1).get()
        #expect(rest.notes.map(\.number.value) == [3])
        #expect(!rest.hasMore)
        #expect(
            await store.changeNote(NoteNumber(1), of: id, version: 1, .remove, ifBy: "somebody") == .foreign)
        let author = page.notes[0].content.user
        #expect(
            await store.changeNote(NoteNumber(1), of: id, version: 1, .remove, ifBy: author)
                == .removed([NoteNumber(1)], counter: 4))
    }

    @Test("a suggestion is accepted together with its revision, or not at all", arguments: StoreKind.allCases)
    func acceptance(kind: StoreKind) async throws {
        let store = try kind.make()
        let entry = try await document(on: store).entry
        let id = entry.id
        let head = try await store.load(id).get().head
        let text = head.text
        let change = SampleChange.change([SampleChange.edit(0, 1, "X")])
        let place = NotePlace(at: head.revision, Selection(caret: 0), suggesting: change)
        _ = try written(await store.addNote(content("one", at: place), to: id))
        _ = try written(await store.addNote(content("two", at: place), to: id))
        let logged = LoggedChange(
            pusher: Pusher(user: "ann", client: "note/1"), seq: 1, time: 9_000,
            edits: try change.edits.map { try LoggedEdit($0, in: text) })
        func append(at expected: Revision, _ changes: [PushedChange]) -> Append {
            Append(document: id, epoch: entry.epoch, expected: expected, changes: changes)
        }
        let pushed = [PushedChange(logged, digest: Digest(.zero))]
        let late = append(at: Revision(head.revision.value + 1), pushed)
        #expect(
            await store.acceptNote(NoteNumber(1), version: 1, late) == .behind(head: head.revision))
        #expect(
            await store.acceptNote(NoteNumber(1), version: 2, append(at: head.revision, pushed))
                == .changed(NoteStamp(try await store.notes(of: id).get().notes[0])))
        #expect(
            await store.acceptNote(NoteNumber(9), version: 1, append(at: head.revision, pushed)) == .missing)
        let wrong = Append(
            document: id, epoch: Epoch(generation: 99, document: 99), expected: head.revision, changes: pushed
        )
        #expect(await store.acceptNote(NoteNumber(1), version: 1, wrong) == .behind(head: head.revision))
        #expect(try await store.load(id).get().head == head)
        let stamp = try written(
            await store.acceptNote(NoteNumber(1), version: 1, append(at: head.revision, pushed)))
        #expect(stamp.version == 2)
        #expect(
            await store.acceptNote(NoteNumber(1), version: 2, append(at: head.revision.next, pushed))
                == .final)
        let loaded = try await store.load(id).get().head
        #expect(loaded.revision == head.revision.next)
        #expect(try loaded.text == text.applying(change))
        let accepted = try await store.notes(of: id).get().notes[0]
        #expect(accepted.state == .accepted)
        #expect(accepted.acceptedAs == head.revision.next)
        // A suggestion that changes nothing is accepted without a revision.
        _ = try written(
            await store.acceptNote(NoteNumber(2), version: 1, append(at: loaded.revision, [])))
        let other = try await store.notes(of: id).get().notes[1]
        #expect(other.state == .accepted)
        #expect(other.acceptedAs == nil)
        // The document can be pushed to as before.
        let next = LoggedChange(
            pusher: Pusher(user: "ann", client: "ann-client"), seq: 5, time: 9_001,
            edits: try change.edits.map { try LoggedEdit($0, in: loaded.text) })
        let outcome = await store.append(
            append(at: loaded.revision, [PushedChange(next, digest: Digest(.zero))]))
        #expect(outcome == .committed(head: loaded.revision.next))
    }

    @Test("a removal takes the answers with it, and tells those who know less", arguments: StoreKind.allCases)
    func removal(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        for (text, parent) in [("one", nil), ("two", 1), ("three", nil)] as [(String, Int64?)] {
            _ = try written(await store.addNote(content(text, answering: parent), to: id))
        }
        // Only the first note of a thread can be answered.
        #expect(await store.addNote(content("x", answering: 2), to: id) == .missing)
        #expect(
            await store.changeNote(NoteNumber(1), of: id, version: 1, .remove)
                == .removed([NoteNumber(1), NoteNumber(2)], counter: 4))
        let page = try await store.notes(of: id, since: 3).get()
        #expect(page.isWhole && page.counter == 4 && page.notes.map(\.number.value) == [3])
        #expect(try await store.notes(of: id, since: 4).get().notes.isEmpty)
        // A number is never used twice.
        #expect(try written(await store.addNote(content("four"), to: id)).number == NoteNumber(4))
    }

    @Test(
        "a document has at most as many notes, and bytes of notes, as the limits",
        arguments: StoreKind.allCases)
    func limits(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        let limits = NoteLimits(notes: 2, bytes: 10)
        _ = try written(await store.addNote(content("12345"), to: id, limits))
        #expect(await store.addNote(content("123456"), to: id, limits) == .tooLarge(bytes: 11))
        let note = try written(await store.addNote(content("12345"), to: id, limits))
        #expect(await store.addNote(content(""), to: id, limits) == .tooMany)
        let longer = NoteChange.rewrite("123456", nil, at: 9)
        #expect(
            await store.changeNote(note.number, of: id, version: 1, longer, limits) == .tooLarge(bytes: 11))
        _ = try written(
            await store.changeNote(note.number, of: id, version: 1, .rewrite("1", nil, at: 9), limits))
    }

    @Test("a repeated request writes no second note", arguments: StoreKind.allCases)
    func repeats(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        var content = content("one", at: letter(1, at: 3))
        content.request = "c-1"
        let note = try written(await store.addNote(content, to: id))
        #expect(await store.addNote(content, to: id) == .written(note))
        let changed = try written(await store.changeNote(note.number, of: id, version: 1, .resolve))
        #expect(await store.addNote(content, to: id) == .written(changed))
        // Requests without an id are always new.
        content.request = ""
        for _ in 0..<2 { _ = try written(await store.addNote(content, to: id)) }
        let page = try await store.notes(of: id).get()
        #expect(page.notes.map(\.number.value) == [1, 2, 3] && page.counter == 4)
    }

    @Test("a copy has the notes, at their places in the newest text", arguments: StoreKind.allCases)
    func copies(kind: StoreKind) async throws {
        let store = try kind.make()
        var document = try await document(on: store)
        let id = document.entry.id
        var first = content("one", at: letter(1, at: 3))
        first.request = "c-1"
        _ = try written(await store.addNote(first, to: id))
        _ = try written(await store.addNote(content("two", answering: 1), to: id))
        _ = try written(await store.addNote(content("three", at: letter(2, at: 3)), to: id))
        let append = try document.append([Edit(0..<0, "y")], seq: Int64(document.head.value + 1))
        _ = try written(await store.acceptNote(NoteNumber(3), version: 1, append))
        try document.follow(append)
        try await document.typeAtOnce("xyz")
        let copy = SampleCopy.of(id, to: try DocumentName("copy"))
        guard case .copied(let entry) = await store.copy(copy) else { throw Unexpected(what: "no copy") }
        let page = try await store.notes(of: entry.id).get()
        #expect(page.counter == 4 && page.notes.map(\.content.text) == ["one", "two", "three"])
        #expect(page.notes[0].content.place == letter(2, at: 1) && page.notes[0].content.request == "")
        #expect(page.notes[1].content.parent == NoteNumber(1))
        #expect(page.notes[2].state == .accepted && page.notes[2].content.place == nil)
        #expect(try written(await store.addNote(content("four"), to: entry.id)).number == NoteNumber(4))
        #expect(try await store.notes(of: id).get().notes.count == 3)
    }

    @Test("a place must be in the kept history", arguments: StoreKind.allCases)
    func places(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        #expect(
            await store.addNote(content("x", at: letter(0, at: 4)), to: id) == .refused(.ahead(head: 3)))
        #expect(await store.trim(id, through: 2) == .trimmed(start: 2))
        #expect(
            await store.addNote(content("x", at: letter(0, at: 1)), to: id)
                == .refused(.trimmed(start: 2)))
        let nobody = DocumentID(999)
        #expect(await store.addNote(content("x"), to: nobody) == .refused(.refused(.gone)))
        #expect(refusal(await store.notes(of: nobody)) == .gone)
    }

    @Test("a place that is too far behind must be moved first", arguments: StoreKind.allCases)
    func behind(kind: StoreKind) async throws {
        let store = try kind.make()
        var document = try await document(on: store)
        try await document.typeAtOnce(String(repeating: "x", count: 1_000))
        let id = document.entry.id
        #expect(await store.addNote(content("x", at: letter(0, at: 2)), to: id) == .behind(head: 1_003))
        let note = try written(await store.addNote(content("x", at: letter(0, at: 3)), to: id))
        #expect(
            await store.changeNote(
                note.number, of: id, version: 1, .rewrite("y", letter(0, at: 2), at: 9))
                == .behind(head: 1_003))
        #expect(try await store.notes(of: id).get().notes[0].content.place?.revision == 1_003)
    }

    @Test("a place moves with the text, and its suggestion is rebased", arguments: StoreKind.allCases)
    func moving(kind: StoreKind) async throws {
        let store = try kind.make()
        var document = try await document(on: store)
        let id = document.entry.id
        let suggestion = NotePlace(
            at: 3, Selection(anchor: 1, head: 2), suggesting: try Change([Edit(1..<2, "B")]))
        _ = try written(await store.addNote(content("better?", at: suggestion), to: id))
        try await edit(Edit(0..<0, "xx"), in: &document)
        var note = try await store.notes(of: id).get().notes[0]
        #expect(try words(note, in: document) == "b")
        #expect(note.content.place?.suggestion == (try Change([Edit(3..<4, "B")])))
        // A trim waits until the place was moved.
        #expect(await store.trim(id, through: 9) == .refused(.ahead(head: 4)))
        #expect(await store.trim(id, through: 4) == .trimmed(start: 4))
        #expect(try await store.notes(of: id).get().notes[0] == note)
        try await edit(Edit(2..<5, ""), in: &document)
        note = try await store.notes(of: id).get().notes[0]
        // The words are gone, and the place shows where they were.
        #expect(try words(note, in: document).isEmpty && note.content.place?.words == Selection(caret: 2))
        #expect(note.content.quote == "b" && note.version == 1)
    }

    @Test("notes survive a rename and a deletion", arguments: StoreKind.allCases)
    func life(kind: StoreKind) async throws {
        let store = try kind.make()
        let id = try await document(on: store).entry.id
        _ = try written(await store.addNote(content("one", at: letter(1, at: 3)), to: id))
        let notes = try await store.notes(of: id).get().notes
        #expect(await store.rename(id, to: try DocumentName("other")) == .renamed)
        #expect(try await store.notes(of: id).get().notes == notes)
        #expect(await store.delete(id, at: 8) == nil)
        #expect(refusal(await store.notes(of: id)) == .gone)
        #expect(await store.addNote(content("two"), to: id) == .refused(.refused(.gone)))
        guard case .undeleted = await store.undelete(id) else { throw Unexpected(what: "not undeleted") }
        #expect(try await store.notes(of: id).get().notes == notes)
    }

    @Test("a redaction finds the passage in notes, quotes and suggestions", arguments: StoreKind.allCases)
    func redaction(kind: StoreKind) async throws {
        let store = try kind.make()
        let document = try await document(on: store)
        let id = document.entry.id
        let place = NotePlace(
            at: 3, Selection(anchor: 1, head: 2), suggesting: try Change([Edit(1..<2, "a sword!")]))
        for content in [
            content("sword, swordsword"), content("none"), content("x", at: place),
            NoteContent(user: "ann", time: 7, text: "", quote: "my sword"),
        ] {
            _ = try written(await store.addNote(content, to: id))
        }
        let passage = try Passage("sword")
        guard case .redacted(let dry) = await store.redact(id, Redaction(passage, isDryRun: true)),
            case .redacted(let report) = await store.redact(id, Redaction(passage))
        else { throw Unexpected(what: "the passage was not redacted") }
        #expect(dry.notes == 3 && dry.containing == 0 && dry.epoch == document.entry.epoch)
        #expect(report.notes == 3 && report.epoch != document.entry.epoch)
        let page = try await store.notes(of: id, since: 4).get()
        #expect(page.counter == 7 && page.notes.map(\.number.value) == [1, 3, 4])
        #expect(page.notes.map(\.version) == [2, 2, 2])
        #expect(
            page.notes[0].content.text == "*****, **********" && page.notes[2].content.quote == "my *****")
        #expect(page.notes[1].content.place?.suggestion == (try Change([Edit(1..<2, "a *****!")])))
        #expect(try await store.text(of: id).get().text.string == "abc")
        guard case .redacted(let again) = await store.redact(id, Redaction(passage)) else {
            throw Unexpected(what: "the passage was not searched")
        }
        #expect(again.notes == 0 && again.epoch == report.epoch)
    }

    @Test("upkeep moves places that are far behind, but not those of final notes")
    func upkeep() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await document(on: store)
        let id = document.entry.id
        _ = try written(await store.addNote(content("one", at: letter(1, at: 3)), to: id))
        _ = try written(await store.addNote(content("two", at: letter(2, at: 3)), to: id))
        let append = try document.append([Edit(0..<0, "y")], seq: Int64(document.head.value + 1))
        _ = try written(await store.acceptNote(NoteNumber(2), version: 1, append))
        try document.follow(append)
        func revision(of note: Int) throws -> Int64 {
            try scratch.number("SELECT revision FROM note WHERE number = \(note)")
        }
        try await document.typeAtOnce(String(repeating: "x", count: 1_001))
        await store.runUpkeep(at: 0)
        #expect(try revision(of: 1) == 1_005)
        #expect(try revision(of: 2) == 4)
        #expect(try words(await store.notes(of: id).get().notes[0], in: document) == "b")
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("upkeep moves many places in several steps", arguments: StoreKind.durable)
    func manyPlaces(kind: StoreKind) async throws {
        guard let store = try kind.make() as? any DurableStore else { return }
        var document = try await document(on: store)
        let id = document.entry.id
        for number in 0..<600 {
            _ = try written(await store.addNote(content("\(number)", at: letter(1, at: 3)), to: id))
        }
        try await document.typeAtOnce(String(repeating: "x", count: 1_001))
        await store.runUpkeep(at: 0)
        // Now the changes before can be removed, which a trim after this could not replay.
        #expect(await store.trim(id, through: 1_004) == .trimmed(start: 1_004))
        let notes = try await store.notes(of: id).get().notes
        #expect(notes.count == 600)
        for note in notes { #expect(try words(note, in: document) == "b") }
        #expect(try await store.findings().isEmpty)
        await store.close()
    }

    @Test("the place of a note is dropped if a server of an earlier version has removed its text")
    func removedText() async throws {
        let cluster = try PostgresCluster.shared.get()
        let address = cluster.newAddress()
        let store = try PostgresStore(PostgresAddress(address), node: "test", allowsUnreplicated: true)
        let id = try await document(on: store).entry.id
        let place = NotePlace(
            at: 3, Selection(anchor: 1, head: 2), suggesting: try Change([Edit(1..<2, "B")]))
        _ = try written(await store.addNote(content("one", at: place), to: id))
        #expect(await store.trim(id, through: 3) == .trimmed(start: 3))
        let schema = try #require(address.components(separatedBy: "%3D").last)
        try cluster.execute("UPDATE \(schema).note SET revision = 1")
        let note = try await store.notes(of: id).get().notes[0]
        #expect(note.content.place == nil && note.content.quote == "b")
        #expect(try await store.findings().isEmpty)
        _ = try written(await store.changeNote(note.number, of: id, version: 1, .resolve))
        #expect(try await store.findings().isEmpty)
        await store.close()
    }

    @Test("a purge removes the notes, and a check finds notes of no document")
    func purge() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let (kept, purged) = (
            try await document(on: store).entry.id, try await TrackedDocument(on: store, "b").entry.id
        )
        for id in [kept, purged] { _ = try written(await store.addNote(content("x"), to: id)) }
        #expect(await store.delete(purged, at: 1_000) == nil)
        await store.runUpkeep(at: 31 * StoreSettings.day)
        #expect(try scratch.count("note") == 1 && scratch.count("notebook") == 1)
        await store.close()
        try DataFolder(scratch.path).openForWriting().execute(
            "PRAGMA foreign_keys = OFF; UPDATE note SET document = 99; UPDATE notebook SET document = 99")
        let findings = try SQLiteStore.verify(folder: scratch.path).findings
        #expect(findings.map(\.fault) == [.orphans("notebook"), .orphans("note")])
    }

    @Test("notes are on disk, and a check finds each damaged value")
    func onDisk() async throws {
        let damages =
            ["counter", "last", "removed", "notes", "bytes", "sum"].map { "notebook SET \($0) = 7" }
            + ["version", "counter", "parent", "state", "user", "edited", "revision", "place"].map {
                "note SET \($0) = 7"
            }
            + ["quote", "body", "sum", "number"].map { "note SET \($0) = 7" }
            + ["note SET time = 8", "note SET place = x'FF'", "note SET revision = NULL"]
        for damage in damages {
            let scratch = try Scratch()
            defer { scratch.remove() }
            var store = try SQLiteStore(folder: scratch.path)
            let id = try await document(on: store).entry.id
            _ = try written(await store.addNote(content("one", at: letter(1, at: 3)), to: id))
            await store.close()
            store = try SQLiteStore(folder: scratch.path)
            #expect(try await store.notes(of: id).get().notes.map(\.content.text) == ["one"])
            #expect(try await store.verify().isSound)
            await store.close()
            let blob = ["user", "quote", "body", "place"].contains { damage.contains(" \($0) = 7") }
            let sql = "UPDATE \(blob ? damage.replacing(" = 7", with: " = x'37'") : damage)"
            try DataFolder(scratch.path).openForWriting().execute(sql)
            store = try SQLiteStore(folder: scratch.path)
            #expect(try await store.verify().findings.map(\.fault) == [.note], "\(damage)")
            #expect(refusal(await store.notes(of: id)) == .damaged, "\(damage)")
            // The text and its history are sound.
            let append = Append(
                document: id, epoch: try await store.find(DocumentName("notes/today")).get().epoch,
                expected: 3,
                changes: [try SampleLog.pushed(Change([Edit(0..<0, "x")]), in: TextBuffer("abc"), seq: 4)])
            #expect(await store.append(append) == .committed(head: 4), "\(damage)")
            await store.runUpkeep(at: 0)
            await store.close()
        }
    }
}
