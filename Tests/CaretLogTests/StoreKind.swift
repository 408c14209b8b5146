import CaretCore
import CaretLog
import TestSupport
import Testing

/// The stores that keep the contract. Each test of the contract runs on all of them.
enum StoreKind: CaseIterable {
    case memory

    func make() -> any DocumentStore {
        switch self {
        case .memory: MemoryStore()
        }
    }
}

/// A store with one document, and its text as a client would follow it.
struct Following {
    let store: any DocumentStore
    let entry: DocumentEntry
    private(set) var texts = [Text()]
    private(set) var log: [LoggedChange] = []

    init(_ kind: StoreKind, _ name: String = "notes/today") async throws {
        store = kind.make()
        guard case .created(let entry) = await store.create(try DocumentName(name), at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        self.entry = entry
    }

    var text: Text { texts[texts.count - 1] }
    var head: Revision { Revision(log.count) }

    /// An append of one change at the head.
    func append(_ edits: [Edit], by pusher: Pusher = SampleLog.ann, seq: Int64) throws -> Append {
        let change = try SampleLog.pushed(Change(edits), in: text, by: pusher, seq: seq)
        return Append(document: entry.id, epoch: entry.epoch, expected: head, changes: [change])
    }

    /// Takes in what was committed.
    mutating func follow(_ append: Append) throws {
        for change in append.changes {
            texts.append(try text.applying(change.logged.change))
            log.append(change.logged)
        }
    }

    /// Commits one letter after the other behind the text.
    mutating func type(_ letters: String, by pusher: Pusher = SampleLog.ann) async throws {
        for letter in letters {
            let end = text.end.value
            let next = try append(
                [SampleChange.edit(end, end, String(letter))], by: pusher, seq: Int64(log.count + 1))
            #expect(await store.append(next) == .committed(head: head.next))
            try follow(next)
        }
    }
}

/// Something that a test relies on did not happen.
struct Unexpected: Error {
    let what: String
}

/// What went well, for comparison with `nil`; the refusal, if it did not.
func refusal<Success, Refusal: Error>(_ result: Result<Success, Refusal>) -> Refusal? {
    guard case .failure(let refusal) = result else { return nil }
    return refusal
}
