import CaretCore
import CaretFormat
import CaretLog
import CaretStore
@preconcurrency import Dispatch
import Synchronization
import TestSupport

/// Writes to documents as rooms do. Each document has one append of one letter in flight. After the ack, the
/// load sends the next append, on a queue that is not the store's.
final class AppendLoad: Sendable {
    private struct State {
        var heads: [Int]
        var sent: [Double]
        var acks: [Double] = []
        var deadline = 0.0
        var running = 0
        var done: CheckedContinuation<Void, Never>?
    }

    /// One of the queues that rooms are confined to, with its documents.
    private final class RoomQueue: Sendable {
        let queue = DispatchQueue(label: "caret.bench.rooms")
        let documents: [DocumentEntry]
        let pushers: [Pusher]
        let state: Mutex<State>

        init(_ documents: [DocumentEntry]) {
            self.documents = documents
            pushers = documents.map {
                Pusher(user: ByteString("user-\($0.id.value)"), client: ByteString("client-\($0.id.value)"))
            }
            state = Mutex(
                State(heads: documents.map(\.head.value), sent: documents.map { _ in 0 }))
        }
    }

    private let store: SQLiteStore
    private let rooms: [RoomQueue]

    init(_ store: SQLiteStore, _ documents: [DocumentEntry]) {
        self.store = store
        let halves = Dictionary(grouping: documents.enumerated()) { $0.offset % 2 }
        rooms = halves.keys.sorted().map { half in RoomQueue((halves[half] ?? []).map(\.element)) }
    }

    /// Writes for this time in nanoseconds. Returns the latency of each ack.
    func run(for time: Double) async -> [Double] {
        let deadline = wallNanoseconds() + time
        await withTaskGroup { group in
            for rooms in rooms { group.addTask { await self.run(rooms, until: deadline) } }
        }
        return rooms.flatMap { rooms in
            rooms.state.withLock { state in
                defer { state.acks = [] }
                return state.acks
            }
        }
    }

    private func run(_ rooms: RoomQueue, until deadline: Double) async {
        await withCheckedContinuation { done in
            rooms.state.withLock { state in
                state.deadline = deadline
                state.running = rooms.documents.count
                state.done = done
            }
            rooms.queue.async { for index in rooms.documents.indices { self.send(index, of: rooms) } }
        }
    }

    private func send(_ index: Int, of rooms: RoomQueue) {
        let head = rooms.state.withLock { state in
            state.sent[index] = wallNanoseconds()
            return state.heads[index]
        }
        let append = AppendLoad.append(to: rooms.documents[index], by: rooms.pushers[index], at: head)
        store.run(.append(append)) { answer in
            rooms.queue.async { self.acked(index, of: rooms, answer) }
        }
    }

    private func acked(_ index: Int, of rooms: RoomQueue, _ answer: StoreAnswer) {
        guard case .appended(.committed(let head)) = answer else {
            preconditionFailure("the store answered the append of a benchmark with \(answer)")
        }
        let (isOver, done) = rooms.state.withLock { state in
            let now = wallNanoseconds()
            state.acks.append(now - state.sent[index])
            state.heads[index] = head.value
            if now < state.deadline { return (false, nil as CheckedContinuation<Void, Never>?) }
            state.running -= 1
            return (true, state.running == 0 ? state.done : nil)
        }
        if !isOver { return send(index, of: rooms) }
        done?.resume()
    }

    /// Appends a letter to the end of a document.
    static func append(to document: DocumentEntry, by pusher: Pusher, at head: Int) -> Append {
        let end = TextLength(utf8: head, utf16: head, scalars: head)
        let edit = mustSucceed { try LoggedEdit(start: end, removed: .zero, text: "e") }
        let logged = LoggedChange(
            pusher: pusher, seq: Int64(head + 1), time: 1_790_000_000_000 + Int64(head) * 150, edits: [edit])
        return Append(
            document: document.id, epoch: document.epoch, expected: Revision(head),
            changes: [PushedChange(logged, digest: SampleLog.digest(logged.seq))])
    }
}
