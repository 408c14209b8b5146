import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Damaged files") struct DamageTests {
    @Test(
        "a flipped bit never causes wrong text, lost documents or double pushes"
    )
    func flippedBits() async throws {
        let cases = Seeds.share(of: 1000, everyCommit: 80)
        try await tryDamages("flippedBits", cases) { bytes, random in
            bytes[random.number(0...bytes.count - 1)] ^= UInt8(1 << random.number(0...7))
        }
    }

    @Test("a truncated file is refused, or reported as an older state")
    func cutFiles() async throws {
        let cases = Seeds.share(of: 200, everyCommit: 20)
        try await tryDamages("cutFiles", cases) { bytes, random in
            bytes.removeLast(random.number(1...bytes.count))
        }
    }

    /// For each seed, damages one file in a copy of the folder: the database, its log or the commit counter.
    private func tryDamages(
        _ test: String, _ cases: Int, _ damage: (inout [UInt8], inout Seeded) -> Void
    ) async throws {
        let sample = try await SampleStore(isCutOff: true, crowd: 300)
        defer { sample.scratch.remove() }
        var outcomes = Outcomes()
        let unharmed = try sample.scratch.copied()
        defer { unharmed.remove() }
        #expect(await outcomes.fault(of: sample, in: unharmed) == nil)
        #expect(outcomes.sound == 1)
        for seed in Seeds.first(cases) {
            var random = Seeded(seed)
            let copy = try sample.scratch.copied()
            defer { copy.remove() }
            let name = random.pick([
                "caret.sqlite", "caret.sqlite", "caret.sqlite-wal", "caret.sqlite-wal", "caret.commits",
            ])
            var bytes = [UInt8](try Data(contentsOf: copy.file(name)))
            damage(&bytes, &random)
            try Data(bytes).write(to: copy.file(name))
            if let fault = await outcomes.fault(of: sample, in: copy) {
                Issue.record("seed \(seed), \(name): \(fault)\nreplay: \(Seeds.replay(seed, of: test))")
            }
        }
        print(
            "\(test): \(Seeds.first(cases).count) harms: \(outcomes.refused) refused at opening, \(outcomes.renewed) reported as an older state, \(outcomes.damaged) with damage reported, \(outcomes.sound) without effect"
        )
        #expect(outcomes.refused + outcomes.renewed + outcomes.damaged > 0)
    }
}

/// Counts the results of opening damaged folders.
private struct Outcomes {
    private(set) var refused = 0
    private(set) var renewed = 0
    private(set) var damaged = 0
    private(set) var sound = 0

    mutating func fault(of sample: SampleStore, in copy: Scratch) async -> String? {
        let events = EventRecorder()
        let store: SQLiteStore
        do throws(OpeningFault) {
            store = try SQLiteStore(folder: copy.path) { events.add($0) }
        } catch {
            refused += 1
            return error.isDamage ? nil : "refused as \(error)"
        }
        let isRenewed = events.isRenewed
        let fault = await SampleVerifier(sample: sample, store: store, isRenewed: isRenewed).fault()
        await store.close()
        if isRenewed {
            renewed += 1
        } else if events.hasDamage {
            damaged += 1
        } else {
            sound += 1
        }
        return fault ?? events.firstFailure.map { "reported \($0)" }
    }
}

extension OpeningFault {
    /// Whether the fault says that the files are damaged.
    fileprivate var isDamage: Bool {
        switch self {
        case .notCaretDatabase, .damagedHeader, .missingDatabase, .logOfOtherDatabase: true
        case .database(let fault), .migrationFailed(_, let fault): fault.kind == .damaged
        case .moved, .moving, .schemaTooOld, .schemaTooNew, .migrationChanged, .readOnly, .folderLocked,
            .system:
            false
        }
    }
}
