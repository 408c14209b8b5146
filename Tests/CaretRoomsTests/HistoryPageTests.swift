import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("The byte limit of a page of history") struct HistoryPageTests {
    private func summary(_ random: inout Seeded) -> RevisionSummary {
        let edits = (0..<random.number(0...3)).map { _ in
            // Half of the texts consist of characters that JSON must escape.
            let text = String(
                repeating: random.pick(["a", "\u{1}", "\"", "é"]), count: random.number(0...40))
            let start = random.pick([0, Int(Int32.max), Int.max - 1])
            return WireEdit(WireRange(start, start + 1), WireString(text))
        }
        let author = WireChange.Author(
            user: random.pick(["ann", "\u{2}\u{3}"]), client: "client", time: random.pick([0, Int.max]))
        let (inserted, deleted) = (random.pick([0, Int.max]), random.pick([7, Int.max]))
        return RevisionSummary(
            revision: Revision(random.pick([1, Int.max])), author: author, inserted: inserted,
            deleted: deleted, edits: random.chance(80) ? edits : nil)
    }

    /// Rule D1.
    @Test("a page ends exactly at its byte limit, though most sizes are estimates")
    func ends() {
        for seed in Seeds.first(300) {
            let replay = Seeds.replay(seed, of: "HistoryPageTests/ends")
            var random = Seeded(seed)
            let limit = random.number(0...8_000)
            let all = (0..<60).map { _ in summary(&random) }
            var (page, bytes) = (HistoryPage(), 0)
            let expected = all.prefix { summary in
                defer { bytes += summary.encodedBytes }
                return bytes == 0 || bytes + summary.encodedBytes <= limit
            }
            for summary in all where !page.append(summary, within: limit) { break }
            #expect(page.revisions == Array(expected), "\(replay)")
            #expect(all.allSatisfy { $0.encodedBytes <= $0.mostBytes }, "\(replay)")
        }
    }
}
