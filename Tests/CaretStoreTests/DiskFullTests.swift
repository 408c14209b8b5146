import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("A full disk") struct DiskFullTests {
    @Test("a full file system allows reads; writes succeed once there is space")
    func smallFileSystem() async throws {
        guard let program = SmallFileSystem.program else {
            print(
                "SKIPPED: no small file system can be mounted here; another test limits the size of the files"
            )
            return
        }
        for kilobytes in isFullRun ? Array(stride(from: 2048, through: 8192, by: 512)) : [2048, 8192] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            try scratch.makeData()
            let full = FullRun(seed: UInt64(kilobytes))
            let end = try SmallFileSystem(program, kilobytes: kilobytes, scratch).run(full.orders)
            try await full.check(end, in: scratch, "\(kilobytes) KiB")
        }
    }

    @Test("at any disk size no acked change is lost, and writing resumes later")
    func boundedFiles() async throws {
        // With the smallest limit the store can only just be opened. With the largest limit it makes several
        // checkpoints.
        let bounds = stride(from: 400_000, through: 4_400_000, by: isFullRun ? 50_000 : 975_000)
        for bound in bounds {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            try scratch.makeData()
            let full = FullRun(seed: UInt64(bound))
            let end = try ChildProcess("store-faults", [scratch.data, "bound=\(bound)"] + full.orders)
                .waitForExit()
            try await full.check(end, in: scratch, "\(bound) bytes")
        }
    }

    @Test(
        "if the write-ahead log's index has no space, a full disk is reported")
    func indexOfLog() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        try scratch.makeData()
        // The log's index has space for only one region, so it can hold only 4,062 pages of the log.
        let end = try ChildProcess("store-faults", [scratch.data, "paste=17000000"]).waitForExit()
        #expect(end.status == 0, "\(end.lines)")
        #expect(end.lines.contains("event: full") && !end.lines.contains("event: failed"), "\(end.lines)")
        let answer = end.lines.first { $0.hasPrefix("answer: ") }
        #expect(answer == "answer: diskFull" || answer == "answer: unknown", "\(end.lines)")
        // With more space the process appends another change to the empty document. The answer is
        // `committed`, or `conflict` if the first append was committed after all.
        let then = end.lines.first { $0.hasPrefix("with space: ") }
        #expect(then?.hasPrefix("with space: co") == true, "\(end.lines)")
        let report = try SQLiteStore.verify(folder: scratch.data)
        #expect(report.isSound && report.revisions == 1)
    }

    @Test("if there is no space for the log's index, a store keeps it in memory")
    func noIndex() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let faulty = FaultyRun(seed: 7, rounds: 8)
        let outcome = try faulty.outcome(in: scratch, "index=none")
        #expect(outcome.end.status == 0, "\(outcome.end)")
        #expect(outcome.end.lines.first == "event: full" && !outcome.end.lines.contains("event: failed"))
        #expect(outcome.acked == faulty.run.steps.lastIndex(where: \.isAcked).map { $0 + 1 })
        #expect(try await faulty.fault(in: scratch.data, acked: outcome.acked) == nil)
    }
}

/// A run that needs more space than its disk has. Each step appends to only one document, so a step is done
/// completely or not at all.
private struct FullRun {
    let seed: UInt64

    private static let rounds = 300

    var orders: [String] { ["seed=\(seed)", "rounds=\(FullRun.rounds)"] }

    /// Checks that the process did all its steps, and that the store has all acked changes.
    func check(_ end: ChildProcess.ExitResult, in scratch: Scratch, _ size: String) async throws {
        #expect(end.status == 0, "\(size): \(end.lines.suffix(5))")
        let full = end.lines.firstIndex(of: "full") ?? 0
        let ackedAfter = end.lines[full...].filter { $0.hasPrefix("acked ") }
        #expect(full > 0 && ackedAfter.count >= 5, "\(size): writing did not continue")
        let faulty = FaultyRun(seed: seed, rounds: FullRun.rounds, atOnce: 1)
        let fault = try await faulty.fault(in: scratch.data, acked: end.numbers(after: "acked").last ?? 0)
        #expect(fault == nil, "\(size)")
    }
}

/// A small file system in memory, which only one process can see. It disappears when that process ends.
private struct SmallFileSystem {
    /// A command that runs another command with permission to mount; nil if this machine has no such command.
    static let program: [String]? = {
        let ways = [["unshare", "-Urm"], ["unshare", "-m"]]
        return ways.first { way in
            let script = "mount -t tmpfs -o size=64k tmpfs /tmp"
            let end = try? ChildProcess(at: "/usr/bin/env", way + ["sh", "-c", script]).waitForExit()
            // `end` is nil if the machine has no `unshare`.
            return end?.status == 0
        }
    }()

    private let way: [String]
    private let kilobytes: Int
    private let scratch: Scratch

    init(_ way: [String], kilobytes: Int, _ scratch: Scratch) {
        (self.way, self.kilobytes, self.scratch) = (way, kilobytes, scratch)
    }

    /// Runs the process until the file system is full. Half of the file system is a ballast file. The process
    /// then removes the ballast file and continues. Copies the store's files to the data folder afterwards.
    func run(_ orders: [String]) throws -> ChildProcess.ExitResult {
        let script = """
            set -e
            program=$1 data=$2 small=$3 kilobytes=$4
            shift 4
            mkdir "$small"
            mount -t tmpfs -o size="$kilobytes"k tmpfs "$small"
            mkdir "$small/data"
            head -c $((kilobytes * 512)) /dev/zero >"$small/ballast"
            status=0
            "$program" "$small/data" ballast="$small/ballast" "$@" || status=$?
            cp "$small/data/"* "$data"
            exit $status
            """
        let arguments = [
            "sh", "-c", script, "sh", ChildProgram.path(of: "store-faults"), scratch.data,
            scratch.path + "/small", String(kilobytes),
        ]
        return try ChildProcess(at: "/usr/bin/env", way + arguments + orders).waitForExit()
    }
}
