import CaretStore
import Foundation
import Synchronization
import TestSupport

/// A fixed run in a process of its own, on a disk that is recorded and may fail.
struct FaultyRun {
    let run: FixedRun
    private let seed: UInt64
    private let rounds: Int

    init(seed: UInt64, rounds: Int, atOnce: Int = 3) {
        run = FixedRun(seed: seed, rounds: rounds, atOnce: atOnce)
        (self.seed, self.rounds) = (seed, rounds)
    }

    /// What came of the run in a folder.
    struct Outcome {
        let end: ChildProcess.End
        let trace: FaultTrace

        /// How many steps the process said were acked.
        var acked: Int { end.numbers(behind: "acked").last ?? 0 }
    }

    /// Does the run in an empty folder; `fault` is an order like `fail=write:12`.
    func outcome(in scratch: Scratch, _ fault: String? = nil) throws -> Outcome {
        try scratch.makeData()
        let orders = [
            scratch.data, "seed=\(seed)", "rounds=\(rounds)", "trace=\(scratch.path)/trace",
        ]
        let end = try ChildProcess("store-faults", orders + (fault.map { [$0] } ?? [])).ended()
        return Outcome(end: end, trace: try FaultTrace(contentsOf: scratch.path + "/trace"))
    }

    /// What is wrong with the store in a folder, where so many steps are acked; nil where nothing is.
    func fault(in folder: String, acked: Int) async throws -> String? {
        let events = Mutex<[String]>([])
        let store: SQLiteStore
        do {
            store = try SQLiteStore(folder: folder) { event in
                switch event {
                case .renewed, .damaged, .failed, .full, .checkpointFull:
                    events.withLock { $0.append("\(event)") }
                default: break
                }
            }
        } catch {
            return "it does not open: \(error)"
        }
        var differences: [String] = []
        for count in run.possible(after: acked) {
            let found: String?
            do { found = try await run.difference(in: store, after: count) } catch {
                found = "\(error) where it is read"
            }
            guard let difference = found else {
                differences = []
                break
            }
            differences.append("from what \(count) steps make: \(difference)")
        }
        await store.closed()
        let found = differences + events.withLock { $0 }
        return found.isEmpty ? nil : "with \(acked) acked steps it differs " + found.joined(separator: "; ")
    }
}

extension Scratch {
    /// The folder of a store beside what else a test writes down.
    var data: String { path + "/data" }

    /// Makes it anew, empty.
    func makeData() throws {
        // There may be none yet; what cannot be removed fails the next line.
        try? FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    }

    /// Makes it anew with these files.
    func makeData(_ files: [String: [UInt8]]) throws {
        try makeData()
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: data + "/" + name)) }
    }
}
