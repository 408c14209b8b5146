import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("A write-ahead log damaged while the store is open") struct DamagedLogTests {
    @Test("a flipped bit in the log is reported or harmless, even after reopening")
    func flippedBits() async throws {
        let cases = Seeds.share(of: 150, everyCommit: 80)
        var counts: [Crowd.Outcome: Int] = [:]
        for seed in Seeds.first(cases) {
            var random = Seeded(seed)
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let recorder = EventRecorder()
            var crowd = Crowd()
            let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
            try await crowd.write(60, to: store)
            try scratch.flipBit(of: "caret.sqlite-wal", inLast: 4120 * 16, &random)
            var outcome = await crowd.outcome(on: store)
            await store.close()
            if !outcome.isWrong {
                outcome = max(outcome, await crowd.outcome(openedIn: scratch))
            }
            counts[outcome, default: 0] += 1
            if outcome.isWrong {
                Issue.record("seed \(seed): \(outcome)\nreplay: \(Seeds.replay(seed, of: "DamagedLogTests"))")
            }
        }
        print("harmed log: \(counts.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", "))")
        #expect(counts.contains { $0.key != .sound } || onlySeed != nil)
    }
}

/// Documents of one letter. A different pusher wrote each document.
private struct Crowd {
    /// The result of the checks, ordered from best to worst.
    enum Outcome: Comparable, Hashable {
        case sound
        /// The store reports the damage when it opens or when it reads.
        case named
        case wrong(String)

        var isWrong: Bool { self > .named }
    }

    private var documents: [(entry: DocumentEntry, text: TextBuffer, pusher: Pusher)] = []

    mutating func write(_ count: Int, to store: SQLiteStore) async throws {
        for number in 0..<count {
            let pusher = Pusher(
                user: ByteString("user \(number)"), client: ByteString("client \(number * 7)"))
            var document = try await TrackedDocument(on: store, "crowd/\(number)")
            try await document.type("x", by: pusher)
            documents.append((document.entry, document.text, pusher))
        }
    }

    func outcome(openedIn scratch: Scratch) async -> Outcome {
        let recorder = EventRecorder()
        do throws(OpeningFault) {
            let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
            let outcome = recorder.isRenewed ? .named : await outcome(on: store)
            await store.close()
            return outcome
        } catch {
            return .named
        }
    }

    /// Checks every answer of a store about the documents.
    func outcome(on store: SQLiteStore) async -> Outcome {
        var worst = Outcome.sound
        for (entry, text, pusher) in documents {
            let id = entry.id
            let answers: [Outcome] = [
                verify(await store.find(entry.name), .damaged) { $0.id == id && $0.head == 1 },
                verify(await store.pusher(pusher, in: id), .damaged) { $0.entry?.seq == 1 },
                verify(await store.text(of: id), .refused(.damaged)) { $0.text == text },
            ]
            worst = max(worst, answers.max() ?? .sound)
        }
        return worst
    }

    private func verify<Answer, Refusal: Equatable>(
        _ result: Result<Answer, Refusal>, _ named: Refusal, isRight: (Answer) -> Bool
    ) -> Outcome {
        switch result {
        case .success(let answer): isRight(answer) ? .sound : .wrong("\(answer)")
        case .failure(let refusal): refusal == named ? .named : .wrong("\(refusal)")
        }
    }
}

extension Scratch {
    /// Flips one bit in the last bytes of a file.
    fileprivate func flipBit(of name: String, inLast count: Int, _ random: inout Seeded) throws {
        let file = try FileHandle(forUpdating: file(name))
        let size = Int(try file.seekToEnd())
        let place = UInt64(size - random.number(1...min(size, count)))
        try file.seek(toOffset: place)
        guard let byte = try file.read(upToCount: 1)?.first else { throw Unexpected(what: "no byte") }
        try file.seek(toOffset: place)
        try file.write(contentsOf: Data([byte ^ UInt8(1 << random.number(0...7))]))
        try file.close()
    }
}
