import CFaultVFS
import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Glibc
import Synchronization
import TestSupport

/// Does the steps of a run on a store.
struct Runner {
    private let run: SeededStoreRun
    private let folder: String
    private var store: SQLiteStore
    private let reports: Reports
    private var entries: [Int: DocumentEntry] = [:]
    private var done = 0

    /// What the store has reported.
    private final class Reports: Sendable {
        let hasFailed = Mutex(false)
        /// Holds the writer at its next transaction.
        let gate = WriterGate()
    }

    /// Why a step was not done.
    private enum Refused: Error {
        case full
        case other(String)
    }

    init(_ run: SeededStoreRun, in folder: String) throws(OpeningFault) {
        self.run = run
        self.folder = folder
        reports = Reports()
        store = try Runner.opened(folder, reports)
    }

    private static func opened(_ folder: String, _ reports: Reports) throws(OpeningFault) -> SQLiteStore {
        try SQLiteStore(folder: folder) { event in
            switch event {
            case .diskFailed:
                reports.hasFailed.withLock { $0 = true }
                printLine("event: failed")
            case .diskFull: printLine("event: full")
            case .checkpointDiskFull: printLine("event: checkpoint full")
            case .writing: reports.gate.pass()
            case .checkpointed: printLine("event: checkpointed")
            default: break
            }
        }
    }

    // MARK: Kinds of runs

    /// Does all steps, or stops when the store refuses one.
    mutating func all(backup: String? = nil) async throws -> Ending {
        let hasStopped = try await doSteps(through: run.steps.count) != nil
        if hasStopped { try await tryAfterStop() }
        if let backup { _ = try await store.backUp(to: backup, at: 1) }
        await close()
        return hasStopped ? .stopped : .done
    }

    /// Does steps until the disk is full. Then reads, frees space, and continues for some steps.
    mutating func fillDisk(_ ballast: String?) async throws -> Ending {
        guard case .full? = try await doSteps(through: run.steps.count) else {
            printLine("the disk was never full")
            return .unexpected
        }
        printLine("full")
        if let difference = try await run.difference(in: store, after: done) {
            printLine("while it was full: \(difference)")
            return .unexpected
        }
        if let ballast { unlink(ballast) }
        fault_vfs_lift_bound()
        let goal = min(done + 10, run.steps.count)
        if try await doSteps(through: goal) != nil { return .stopped }
        if let difference = try await run.difference(in: store, after: goal) {
            printLine("after it was full: \(difference)")
            return .unexpected
        }
        await close()
        return .done
    }

    /// Does steps until the disk is full, and then kills the process before any other call.
    mutating func fillDiskAndDie() async throws -> Ending {
        if try await doSteps(through: run.steps.count) != nil { kill(getpid(), SIGKILL) }
        printLine("the disk was never full")
        return .unexpected
    }

    /// Makes one append so large that the write-ahead log needs a larger index, for which there is no space.
    /// Then frees space, and appends a letter at revision 0.
    mutating func outgrowIndex(_ bytes: Int) async throws -> Ending {
        let entry = try await create(0, 1)
        func append(_ text: String) async throws -> AppendOutcome {
            let change = SampleChange.change([SampleChange.edit(0, 0, text)])
            return await store.append(
                Append(
                    document: entry.id, epoch: entry.epoch, expected: 0,
                    changes: [try SampleLog.pushed(change, in: TextBuffer(), seq: 1)]))
        }
        printLine("answer: \(try await append(String(repeating: "x", count: bytes)))")
        fault_vfs_lift_bound()
        printLine("with space: \(try await append("x"))")
        await close()
        return .done
    }

    /// Does steps until `count` are done. Returns the refusal that stopped it, or nil.
    private mutating func doSteps(through count: Int) async throws -> Refused? {
        while done < count {
            do {
                try await doStep(run.steps[done], number: done + 1)
                done += 1
            } catch let refused as Refused {
                printLine("answer: \(refused)")
                return refused
            }
        }
        return nil
    }

    /// Tries the refused step and the next steps again. A store that has stopped must refuse them.
    private mutating func tryAfterStop() async throws {
        for number in (done + 1)...(done + 6) where number <= run.steps.count {
            guard case .append = run.steps[number - 1] else { continue }
            do { try await doStep(run.steps[number - 1], number: number) } catch let refused as Refused {
                printLine("answer: \(refused)")
            }
        }
    }

    private func close() async {
        // A failure between the marks `closing` and `closed` does not matter: the store acks nothing more,
        // and the next store opens the folder again.
        fault_vfs_mark("closing")
        await store.close()
        fault_vfs_mark("closed")
    }

    // MARK: One step

    private mutating func doStep(_ step: SeededStoreRun.Step, number: Int) async throws {
        switch step {
        case .create(let document): entries[document] = try await create(document, number)
        case .append(let pushes): try await append(pushes, number)
        case .trim(let document, let through):
            let answer = await store.trim(try entry(document).id, through: through)
            if answer == .refused(.refused(.full)) { throw Refused.full }
            if answer != .trimmed(start: through) { throw Refused.other("\(answer)") }
        case .upkeep:
            await store.runUpkeep(at: 10 * 60_000)
            // `runUpkeep` returns nothing. If the store has reported a failure, a server would end. So this
            // step counts as refused.
            if reports.hasFailed.withLock({ $0 }) { throw Refused.other("a failure") }
        case .reopen:
            await close()
            store = try Runner.opened(folder, reports)
        }
    }

    private func create(_ document: Int, _ number: Int) async throws -> DocumentEntry {
        let name = try DocumentName(SeededStoreRun.name(of: document))
        let answer = await withCheckedContinuation { done in
            store.run(.create(name, nil, at: 0)) { answer in
                if case .created(.created) = answer { acknowledge(number) }
                done.resume(returning: answer)
            }
        }
        switch answer {
        case .created(.created(let entry)): return entry
        case .created(.refused(.full)): throw Refused.full
        default: throw Refused.other("\(answer)")
        }
    }

    private func append(_ pushes: [SeededStoreRun.Push], _ number: Int) async throws {
        let appends = try pushes.map { push in
            let entry = try entry(push.document)
            return Append(
                document: entry.id, epoch: entry.epoch, expected: push.expected, changes: push.changes)
        }
        if appends.count > 1 { await reports.gate.hold(store, behind: Runner.refusedCall) }
        let outcomes = Shared<[StoreAnswer]>([])
        await withCheckedContinuation { done in
            for append in appends {
                store.run(.append(append)) { answer in
                    outcomes.change { $0.append(answer) }
                    let all = outcomes.value
                    if all.count < appends.count { return }
                    if all.allSatisfy(\.isCommitted) { acknowledge(number) }
                    done.resume()
                }
            }
            reports.gate.open()
        }
        if outcomes.value.contains(.appended(.diskFull)) { throw Refused.full }
        if !outcomes.value.allSatisfy(\.isCommitted) { throw Refused.other("\(outcomes.value)") }
    }

    /// Writes nothing, because there is no such document.
    private static var refusedCall: StoreCall { .delete(DocumentID(.max), at: 0) }

    private func entry(_ document: Int) throws -> DocumentEntry {
        guard let entry = entries[document] else {
            throw Refused.other("document \(document) was never created")
        }
        return entry
    }
}

/// Writes the mark before the output, so that the trace has every ack that a test sees. Call this in the
/// store's completion, so that the mark comes before the store's next operation.
private func acknowledge(_ number: Int) {
    fault_vfs_mark(String(number))
    fault_calls_mark("acked\n")
    printLine("acked \(number)")
}

extension StoreAnswer {
    fileprivate var isCommitted: Bool {
        if case .appended(.committed) = self { true } else { false }
    }
}
