import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// `caret-bench rooms`: a room's work for one push, from its arrival until all lines are sent.
struct RoomBenchmarks {
    static let measure =
        "Times are wall time: the median of many pushes. They exclude the work of the store and of connections."

    let pushes: Int

    func run() {
        var table = Table(["a push of one letter", "sessions", "lines", "time", "a line", "allocations"])
        for behind in [0, 1, 100] {
            // Two sessions: one pushes, and the other makes the revisions that the push is rebased over.
            var room = BenchRoom(sessions: 2)
            row("\(behind) revisions to rebase over", of: &table, measure(&room, behind: behind), 2)
        }
        var alone = BenchRoom(sessions: 1)
        row("no other session", of: &table, measure(&alone), 1)
        var one = BenchRoom(sessions: 2, selections: 1_000)
        row("1,000 selections of one session", of: &table, measure(&one), 2)
        var many = BenchRoom(sessions: 1_000, selections: 1)
        row("1,000 sessions with a caret each", of: &table, measure(&many), 1_000)
        table.print(under: "A room's work for one push, in a text of 50 KB")
        runSelecting()
    }

    private func runSelecting() {
        var table = Table(["a caret that moves", "sessions", "lines", "time", "a line", "allocations"])
        for count in [2, 1_000] {
            var room = BenchRoom(sessions: count, selections: 1)
            let samples = (0..<pushes).map { _ in room.select() }
            row("sent to the others", of: &table, samples, count)
        }
        table.print(under: "A room's work for one selection")
    }

    private func measure(_ room: inout BenchRoom, behind: Int = 0) -> [BenchRoom.Sample] {
        (0..<pushes).map { _ in
            for _ in 0..<behind { _ = room.push(by: 1) }
            return room.push(by: 0, behind: behind)
        }
    }

    private func row(_ name: String, of table: inout Table, _ samples: [BenchRoom.Sample], _ sessions: Int) {
        let time = samples.map(\.nanoseconds).median
        let lines = samples.map { Double($0.lines) }.median
        table.row(
            name, String(sessions), lines.digits(0), time.time, (time / lines).time,
            samples.map { Double($0.allocations) }.median.digits(0))
    }
}

/// A room for benchmarks. Its store commits at once, and its sessions acknowledge every line.
private struct BenchRoom {
    struct Sample {
        let nanoseconds: Double
        let allocations: Int
        let lines: Int
    }

    private var room: RoomState
    private let people: [Participant]
    private var seqs: [Int64]
    private var time: Int64 = 1_000_000

    init(sessions: Int, selections: Int = 0) {
        var random = Seeded(1)
        let text = mustSucceed { try TextBuffer(SampleText.lines(bytes: 50_000, &random)) }
        let entry = DocumentEntry(
            id: DocumentID(1), name: mustSucceed { try DocumentName("notes") },
            epoch: Epoch(generation: 1, document: 1),
            head: 1, start: 1, length: text.length, updated: 1, lineBreak: .lf)
        room = RoomState(
            LoadedDocument(entry, Snapshot(revision: 1, text: text)), limits: Limits(), at: 1_000_000,
            publicClient: { WireString($0.client.string) })
        people = (0..<sessions).map { BenchRoom.person($0) }
        seqs = Array(repeating: 0, count: sessions)
        for number in 0..<sessions { open(number, selections) }
    }

    private static func person(_ number: Int) -> Participant {
        Participant(
            pusher: Pusher(user: "anonymous", client: ByteString("client-\(number)")),
            name: WireString("s\(number)"),
            introduction: Introduction(user: "anonymous", client: WireString("p-\(number)")), unit: .utf16)
    }

    private mutating func open(_ number: Int, _ selections: Int) {
        let opening = RoomOpening(
            session: SessionID(Int64(number)), id: nil, document: "notes", participant: people[number],
            rights: .write)
        run(room.handle(.open(opening), at: time))
        if selections == 0 { return }
        let places = (0..<selections).map { WireSelection($0 * 40, $0 * 40) }
        let select = Select(document: "notes", revision: 1, selections: places)
        run(room.handle(.select(SessionID(Int64(number)), select, nil), at: time))
    }

    /// Pushes one letter. The push's base is `behind` revisions before the head.
    mutating func push(by number: Int, behind: Int = 0) -> Sample {
        seqs[number] += 1
        let content = RoomPush.Content.edits([WireEdit(WireRange(25_000, 25_000), "x")])
        let push = RoomPush(
            session: SessionID(Int64(number)), id: nil, document: "notes", participant: people[number],
            rights: .write, epoch: "1.1", base: Revision(room.head.value - behind), seq: seqs[number],
            content: content, digest: Digest(SIMD4(repeating: UInt64(seqs[number]))), time: time)
        return measured(.push(push))
    }

    /// Moves the caret of a session.
    mutating func select() -> Sample {
        let select = Select(document: "notes", revision: room.head, selections: [WireSelection(7, 7)])
        return measured(.select(SessionID(0), select, nil))
    }

    private mutating func measured(_ event: RoomEvent) -> Sample {
        time += 1
        let (start, before) = (wallNanoseconds(), caret_bench.allocations)
        let lines = run(room.handle(event, at: time))
        return Sample(
            nanoseconds: wallNanoseconds() - start, allocations: caret_bench.allocations - before,
            lines: lines)
    }

    /// Runs the room's actions. Returns the number of lines sent.
    @discardableResult
    private mutating func run(_ actions: [RoomAction]) -> Int {
        var lines = 0
        for action in actions {
            switch action {
            case .send(let session, let output):
                lines += output.bytes.count { $0 == UInt8(ascii: "\n") }
                _ = room.handle(.written(session, bytes: output.bytes.count), at: time)
            case .call(let id, .append(let append)):
                let head = Revision(append.expected.value + append.changes.count)
                lines += run(room.handle(.answered(id, .appended(.committed(head: head))), at: time))
            case .call(let id, .pusher):
                let answer = StoreAnswer.pusher(.success(PusherAnswer(entry: nil, head: room.head)))
                lines += run(room.handle(.answered(id, answer), at: time))
            default: break
            }
        }
        return lines
    }
}
