import CaretStore
import Foundation
import Synchronization
import TestSupport

/// A process that makes the same calls to a store in every run. The fault layer records the disk operations,
/// and can make one operation fail.
struct FaultyRun {
    let run: SeededStoreRun
    private let seed: UInt64
    private let rounds: Int

    init(seed: UInt64, rounds: Int, atOnce: Int = 3) {
        run = SeededStoreRun(seed: seed, rounds: rounds, atOnce: atOnce)
        (self.seed, self.rounds) = (seed, rounds)
    }

    /// The result of a run.
    struct Outcome {
        let end: ChildProcess.ExitResult
        let trace: FaultTrace

        /// The number of steps that were acked, as the process printed it.
        var acked: Int { end.numbers(after: "acked").last ?? 0 }
    }

    /// Does the run in an empty folder. `fault` is an argument like `fail=write:12`.
    func outcome(in scratch: Scratch, _ fault: String? = nil) throws -> Outcome {
        try scratch.makeData()
        let orders = [
            scratch.data, "seed=\(seed)", "rounds=\(rounds)", "trace=\(scratch.path)/trace",
        ]
        let end = try ChildProcess("store-faults", orders + (fault.map { [$0] } ?? [])).waitForExit()
        return Outcome(end: end, trace: try FaultTrace(contentsOf: scratch.path + "/trace"))
    }

    /// Describes what is wrong with the store in a folder after this number of acked steps; nil if the store
    /// is correct.
    func fault(in folder: String, acked: Int) async throws -> String? {
        let events = Mutex<[String]>([])
        let store: SQLiteStore
        do {
            store = try SQLiteStore(folder: folder) { event in
                switch event {
                case .renewed, .damaged, .diskFailed, .diskFull, .checkpointDiskFull:
                    events.withLock { $0.append("\(event)") }
                default: break
                }
            }
        } catch {
            return "the store cannot be opened: \(error)"
        }
        var differences: [String] = []
        for count in run.possible(after: acked) {
            let found: String?
            do { found = try await run.difference(in: store, after: count) } catch {
                found = "\(error) while reading the store"
            }
            guard let difference = found else {
                differences = []
                break
            }
            differences.append("from the result of \(count) steps: \(difference)")
        }
        await store.close()
        let found = differences + events.withLock { $0 }
        return found.isEmpty
            ? nil : "after \(acked) acked steps the store differs " + found.joined(separator: "; ")
    }
}

extension Scratch {
    /// The folder of a store, beside other files of a test.
    var data: String { path + "/data" }

    /// Replaces the folder by an empty one.
    func makeData() throws {
        // Ignore an error, because there may be no folder yet. If it cannot be removed, the next line fails.
        try? FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    }

    /// Replaces the folder by one with these files.
    func makeData(_ files: [String: [UInt8]]) throws {
        try makeData()
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: data + "/" + name)) }
    }
}
