import CaretCore
import CaretFormat
import CaretLog
import TestSupport
import Testing

@Suite("The ladder of old texts in memory") struct TextLadderTests {
    private static let document = DocumentID(1)

    @Test("each revision is near a rung, on random histories")
    func distances() {
        for seed in Seeds.first(Seeds.share(of: 2000, everyCommit: 100)) {
            var random = Seeded(seed)
            var ladder = TextLadder<Int>(mostBytes: .max)
            var added: [Int] = []
            for _ in 0..<random.number(1...400) {
                let revision = (added.last ?? 0) + random.number(1...(random.chance(10) ? 20_000 : 700))
                added.append(revision)
                ladder.add(revision, at: Revision(revision), bytes: 1, of: Self.document)
            }
            let (rungs, head) = (ladder.revisions(of: Self.document), added[added.count - 1])
            #expect(rungs.first == added[0] && rungs.last == head)
            for (older, newer) in zip(rungs, rungs.dropFirst()) {
                let wanted = LadderPolicy.distance(behind: head - newer, spacing: LadderPolicy.spacing)
                // Two rungs are further apart only if no rung was ever added between them.
                #expect(
                    newer - older <= wanted || !added.contains { $0 > older && $0 < newer },
                    "\(older) to \(newer): \(Seeds.replay(seed, of: "TextLadderTests"))")
            }
            // Three successive rungs are never closer together than needed.
            for index in rungs.indices.dropFirst(2) {
                let behind = head - rungs[index]
                let wanted = LadderPolicy.distance(behind: behind, spacing: LadderPolicy.spacing)
                #expect(rungs[index] - rungs[index - 2] > wanted, "\(rungs[index]) of \(rungs)")
            }
        }
    }

    @Test("a read gets the newest rung at its revision or before")
    func lookUp() {
        var ladder = TextLadder<String>()
        #expect(ladder.text(of: Self.document, through: 9) == nil)
        for revision in [20_000, 5, 40_000] {
            ladder.add("text \(revision)", at: Revision(revision), bytes: 1, of: Self.document)
        }
        for (revision, wanted) in [
            (4, nil), (5, "text 5"), (19_999, "text 5"), (20_000, "text 20000"), (50_000, "text 40000"),
        ] as [(Int, String?)] {
            let found = ladder.text(of: Self.document, through: Revision(revision))
            #expect(found?.text == wanted, "\(revision)")
        }
        #expect(ladder.text(of: DocumentID(2), through: 50_000) == nil)
    }

    @Test("the rungs never have more bytes than the limit, on random documents")
    func memory() {
        let most = 1_000_000
        for seed in Seeds.first(Seeds.share(of: 500, everyCommit: 30)) {
            var random = Seeded(seed)
            var ladder = TextLadder<Int>(mostBytes: most)
            for _ in 0..<300 {
                let document = DocumentID(Int64(random.number(1...4)))
                let revision = random.number(1...500_000)
                let size = random.number(1...most / LadderPolicy.fewestRungs)
                ladder.add(revision, at: Revision(revision), bytes: size, of: document)
                #expect(ladder.bytes <= most, "\(Seeds.replay(seed, of: "TextLadderTests"))")
                // The newest rung of the document that was just used stays.
                let kept = ladder.revisions(of: document)
                #expect(!kept.isEmpty && kept == kept.sorted())
            }
        }
    }

    @Test("a text gets a rung only if four of its size fit into the memory")
    func largeTexts() {
        var ladder = TextLadder<Int>(mostBytes: 100)
        ladder.add(1, at: 1, bytes: 26, of: Self.document)
        #expect(ladder.revisions(of: Self.document).isEmpty && ladder.bytes == 0)
        ladder.add(1, at: 1, bytes: 25, of: Self.document)
        #expect(ladder.revisions(of: Self.document) == [1] && ladder.bytes == 25)
    }

    @Test("if the memory is full, the rungs of the document used last stay")
    func leastRecentlyUsed() {
        var ladder = TextLadder<Int>(mostBytes: 100)
        for document in [1, 2, 3, 4] as [Int64] {
            ladder.add(1, at: 1, bytes: 25, of: DocumentID(document))
        }
        _ = ladder.text(of: DocumentID(1), through: 1)
        ladder.add(1, at: 1, bytes: 25, of: DocumentID(5))
        let kept = (1...5).filter { !ladder.revisions(of: DocumentID($0)).isEmpty }
        // At least an eighth of the memory is free afterwards.
        #expect(kept == [1, 4, 5])
    }
}
