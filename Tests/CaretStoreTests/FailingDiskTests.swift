import CaretStore
import Glibc
import TestSupport
import Testing

@Suite("A failing disk") struct FailingDiskTests {
    /// A kind of disk operation. The process and the trace count each kind separately.
    enum Operation: String, CaseIterable {
        case write
        case sync
        case truncate
        case open

        var kind: FaultTrace.Kind {
            switch self {
            case .write: .wrote
            case .sync: .synced
            case .truncate: .truncated
            case .open: .opened
            }
        }
    }

    @Test(
        "a failed disk operation stops all acks and loses no acked change",
        arguments: Operation.allCases)
    func everyOperation(operation: Operation) async throws {
        let unknown = try await fail(operation, of: FaultyRun(seed: 7, rounds: 4)) { trace in
            trace.files(of: operation.kind).indices.map { $0 + 1 }.flatMap { number in
                if isFullRun { return ["fail=\(operation):\(number)", "break=\(operation):\(number)"] }
                return [number % 2 == 0 ? "fail=\(operation):\(number)" : "break=\(operation):\(number)"]
            }
        }
        // After a failed sync nobody knows whether the data of an append is on disk.
        if operation == .sync { #expect(unknown > 0) }
    }

    @Test(
        "a disk failure during checkpoints or merges loses no acked change",
        arguments: [Operation.write, .sync, .truncate])
    func longRun(operation: Operation) async throws {
        try await fail(operation, of: FaultyRun(seed: 3, rounds: 160)) { trace in
            var random = Seeded(5)
            return trace.someNumbers(isFullRun ? 100 : 6, of: operation.kind, &random).map { number in
                "\(random.chance(50) ? "fail" : "break")=\(operation):\(number)"
            }
        }
    }

    @Test(
        "a new database is refused if a file cannot be synced",
        arguments: [
            ("/caret.sqlite.new", .system(EIO)), ("/data", .system(EIO)),
            (
                "/caret.commits",
                .database(DatabaseFault(code: 10, message: "caret.commits: Input/output error"))
            ),
        ] as [(String, OpeningFault)])
    func unsyncedDatabase(path: String, fault: OpeningFault) throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        try scratch.makeData()
        let end = try ChildProcess(
            "store-faults", [scratch.data, "seed=7", "rounds=1", "unsynced=\(path)"]
        ).waitForExit()
        #expect(end.lines.last.map(String.init) == "refused to open: \(fault)")
        // The database has its name only if it was synced.
        #expect((access(scratch.data + "/caret.sqlite", F_OK) == 0) == (path != "/caret.sqlite.new"))
    }

    @Test("if the commit counter has no space, the store continues, and says so")
    func fullCounter() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let faulty = FaultyRun(seed: 7, rounds: 8)
        let outcome = try faulty.outcome(in: scratch, "counter=\(ENOSPC)")
        let events = Set(outcome.end.lines.filter { $0.hasPrefix("event: ") })
        #expect(outcome.end.status == 0 && events == ["event: checkpoint full"], "\(outcome.end)")
        #expect(try await faulty.fault(in: scratch.data, acked: outcome.acked) == nil)
    }

    @Test("if the commit counter cannot be written, the store stops")
    func failedCounter() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let faulty = FaultyRun(seed: 7, rounds: 8)
        let outcome = try faulty.outcome(in: scratch, "counter=\(EIO)")
        #expect(outcome.end.status == 4 && outcome.acked == 0, "\(outcome.end)")
        #expect(outcome.end.lines.contains("event: failed"))
        #expect(try await faulty.fault(in: scratch.data, acked: 0) == nil)
    }

    /// First runs the process without a fault, and counts the operations in its trace. Then runs it again for
    /// each fault that `faults` makes from this trace. Returns how many runs had an append with an unknown
    /// outcome.
    @discardableResult private func fail(
        _ operation: Operation, of faulty: FaultyRun, with faults: (FaultTrace) -> [String]
    ) async throws -> Int {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let whole = try faulty.outcome(in: scratch)
        #expect(whole.end.status == 0)
        let count = whole.trace.files(of: operation.kind).count
        let orders = faults(whole.trace)
        var (struck, unknown) = (0, 0)
        for order in orders {
            let outcome = try faulty.outcome(in: scratch, order)
            struck += outcome.trace.firstFailure == nil ? 0 : 1
            unknown += outcome.end.lines.contains { $0.contains("unknown") } ? 1 : 0
            check(outcome, order, operation, of: faulty)
            let fault = try await faulty.fault(in: scratch.data, acked: outcome.acked)
            #expect(fault == nil, "\(order): opened again")
            if operation != .sync { continue }
            // Simulate that the machine stopped with the process: the data of the failed sync may be lost.
            var disk = ForgetfulDisk(Seeded(1))
            disk.apply(outcome.trace.entries)
            try scratch.makeData(disk.afterPowerCut())
            let lost = try await faulty.fault(in: scratch.data, acked: outcome.acked)
            #expect(lost == nil, "\(order): opened again after a power cut")
        }
        print(
            "failing disk: \(orders.count) faults in \(count) operations of kind \(operation), \(struck) of them reached"
        )
        return unknown
    }

    private func check(
        _ outcome: FaultyRun.Outcome, _ order: String, _ operation: Operation, of faulty: FaultyRun
    ) {
        let (end, entries) = (outcome.end, outcome.trace.entries)
        guard let status = end.status, [0, 3, 4].contains(status) else {
            Issue.record("\(order): the process ended unexpectedly: \(end)")
            return
        }
        guard let failure = outcome.trace.firstFailure else { return }
        let wasClosing = entries[..<failure].last { $0.kind == .marked }?.bytes.elementsEqual("closing".utf8)
        if wasClosing == true { return }
        // Files are opened only while a store is being opened. So if opening a file fails, the process must
        // refuse to open the store, with status 3.
        if operation == .open { #expect(status == 3, "\(order): \(end)") }
        // Many completions run on another thread than the writer. So an ack may come after the failure, but
        // only for a commit before the failure.
        let late = entries[failure...].compactMap(\.acked)
        #expect(
            late.isEmpty || late.count == 1 && outcome.trace.hasCommitted(before: failure),
            "\(order): \(late) were acked after the failure")
        switch status {
        case 0:
            // The fault made upkeep fail after the last step.
            let isDone = outcome.acked == faulty.run.steps.count && end.lines.contains("event: failed")
            #expect(isDone, "\(order): the store did not stop")
        case 3: #expect(end.lines.last?.hasPrefix("refused to open") == true, "\(order): \(end)")
        default:
            #expect(end.lines.contains("event: failed"), "\(order): the store did not report its failure")
        }
    }
}
