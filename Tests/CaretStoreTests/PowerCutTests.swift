import TestSupport
import Testing

@Suite("Power cuts") struct PowerCutTests {
    /// The number of images of each recorded run. An image is the files that one power cut leaves. Each image
    /// has its own seed.
    private static let imagesOfRun = 50

    /// Rule P1.
    @Test("a power cut at any moment loses no acked change")
    func powerCuts() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let runs = isFullRun ? 10 : 4
        let (perRun, each) = (Self.imagesOfRun, isFullRun ? Self.imagesOfRun : 10)
        let seeds =
            onlySeed.map { [$0] } ?? (0..<runs).flatMap { run in (0..<each).map { run * perRun + $0 } }
        var inside = 0
        var recorded: Recorded?
        for seed in seeds {
            if recorded?.number != seed / perRun { recorded = try Recorded(seed / perRun, in: scratch) }
            guard let recorded else { continue }
            let image = recorded.image(seed)
            inside += image.isInsideCheckpoint ? 1 : 0
            try scratch.makeData(image.files)
            let fault = try await recorded.faulty.fault(in: scratch.data, acked: image.acked)
            if fault == nil { continue }
            let kept = try Scratch()
            try kept.makeData(image.files)
            #expect(
                fault == nil,
                """
                seed \(seed), cut before entry \(image.cut) of \(recorded.trace.entries.count), left in \(kept.data)
                replay: CARET_SEED=\(seed) swift test -c release --skip-build --filter powerCuts
                """)
        }
        print("power cuts: \(seeds.count) images, \(inside) of them during a checkpoint")
    }

    @Test(
        "this test detects a disk that ignores the syncs of one file",
        arguments: [FaultTrace.log, FaultTrace.database])
    func deafDisk(file: String) async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let recorded = try Recorded(0, in: scratch)
        var found = 0
        for seed in 0..<20 {
            let image = recorded.image(seed, deafTo: file)
            try scratch.makeData(image.files)
            if try await recorded.faulty.fault(in: scratch.data, acked: image.acked) != nil { found += 1 }
        }
        print("power cuts: without the syncs of \(file), the test finds lost data in \(found) of 20 images")
        #expect(found >= 5)
    }
}

/// A run and its trace.
private struct Recorded {
    let number: Int
    let faulty: FaultyRun
    let trace: FaultTrace
    /// The indexes of entries at which the database has unsynced pages.
    private let insideCheckpoint: [Int]
    /// The indexes of entries that open, remove or truncate files, except the last few.
    private let turns: [Int]

    init(_ number: Int, in scratch: Scratch) throws {
        self.number = number
        faulty = FaultyRun(seed: UInt64(number), rounds: 160)
        let outcome = try faulty.outcome(in: scratch)
        guard outcome.end.status == 0,
            outcome.acked == faulty.run.steps.lastIndex(where: \.isAcked).map({ $0 + 1 })
        else {
            throw Unexpected(what: "the run was not recorded completely: \(outcome.end)")
        }
        trace = outcome.trace
        var (isDirty, inside) = (false, [Int]())
        for (index, entry) in trace.entries.enumerated() {
            if isDirty { inside.append(index) }
            if entry.file == FaultTrace.database { isDirty = entry.kind == .wrote }
        }
        insideCheckpoint = inside
        let kinds: Set = [FaultTrace.Kind.opened, .deleted, .truncated]
        let entries = outcome.trace.entries
        turns = entries.indices.dropLast(6).filter { kinds.contains(entries[$0].kind) }
    }

    struct Image {
        let files: [String: [UInt8]]
        let cut: Int
        let acked: Int
        let isInsideCheckpoint: Bool
    }

    /// Picks the moment of the power cut. Most moments are during a checkpoint, or after a file was opened,
    /// removed or truncated. These moments are more critical than a commit.
    private func moment(_ random: inout Seeded) -> Int {
        switch random.number(0...9) {
        case 0...3: random.pick(insideCheckpoint)
        case 4...5: random.pick(turns) + random.number(0...6)
        default: random.number(0...trace.entries.count)
        }
    }

    /// The files that a power cut leaves. The seed decides when the power is cut.
    func image(_ seed: Int, deafTo deaf: String? = nil) -> Image {
        var random = Seeded(UInt64(seed))
        let cut = moment(&random)
        var disk = ForgetfulDisk(random, deafTo: deaf)
        disk.apply(trace.entries[..<cut])
        return Image(
            files: disk.afterPowerCut(), cut: cut, acked: trace.acked(before: cut),
            isInsideCheckpoint: insideCheckpoint.contains(cut))
    }
}
