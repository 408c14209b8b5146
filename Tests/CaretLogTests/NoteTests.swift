import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The places of notes") struct NoteTests {
    private func note(
        _ number: Int64, at place: NotePlace?, state: Note.State = .open
    ) -> Note {
        Note(
            number: NoteNumber(number), counter: number,
            NoteContent(user: "ann", time: 7, text: "x", place: place), state: state)
    }

    /// A text with random changes of it, and the texts between them.
    private struct History {
        var texts = [TextBuffer(normalizing: "one two three\nfour five six\n")]
        var changes: [LoggedChange] = []

        init(_ count: Int, _ random: inout Seeded) throws {
            for seq in 1...count {
                let text = texts[texts.count - 1]
                let change = SampleChange.make(for: text, upTo: 3, &random)
                changes.append(try SampleLog.change(change, in: text, seq: Int64(seq)))
                texts.append(try text.applying(change))
            }
        }
    }

    @Test("words move like a selection, and a suggestion is rebased like a push that waits")
    func likeSelections() throws {
        var random = Seeded(3)
        for _ in 0..<200 {
            let history = try History(20, &random)
            let revision = random.number(0...20)
            let text = history.texts[revision]
            let ends = [random.number(0...text.end.value), random.number(0...text.end.value)].sorted()
            var words = Selection(anchor: Offset(ends[0]), head: Offset(ends[1]))
            var push = SampleChange.make(for: text, upTo: 3, &random)
            var notes = [
                note(1, at: NotePlace(at: Revision(revision), words, suggesting: push)), note(2, at: nil),
            ]
            try notes.move(through: history.changes, after: 0)
            for logged in history.changes[revision...] {
                words = words.mapped(through: try logged.change)
                push = push.rebased(over: try logged.change, tie: .otherFirst)
            }
            #expect(notes[0].content.place == NotePlace(at: 20, words, suggesting: push))
            #expect(notes[1].content.place == nil && notes[0].version == 1)
            // What is suggested still fits the newest text, and has all the words that were suggested.
            #expect(throws: Never.self) { try history.texts[20].applying(push) }
        }
    }

    @Test("it does not matter in how many steps a place is moved")
    func steps() throws {
        var random = Seeded(4)
        for _ in 0..<100 {
            let history = try History(12, &random)
            let all = (0..<6).map { number in
                let revision = random.number(0...12)
                let end = history.texts[revision].end
                return note(
                    Int64(number), at: NotePlace(at: Revision(revision), Selection(anchor: 0, head: end)),
                    state: random.pick(Note.State.allCases))
            }
            var (atOnce, inSteps) = (all, all)
            try atOnce.move(through: history.changes, after: 0)
            let middle = random.number(0...12)
            try inSteps.move(through: history.changes[..<middle], after: 0)
            try inSteps.move(through: history.changes[middle...], after: Revision(middle))
            #expect(atOnce == inSteps)
            for (before, after) in zip(all, atOnce) {
                let isFinal = [.accepted, .rejected].contains(before.state)
                #expect(after.content.place?.revision == (isFinal ? before.content.place?.revision : 12))
            }
        }
    }

    @Test("a passage is replaced by as many letters, also where it overlaps itself")
    func redaction() throws {
        let passage = try Passage("aba")
        var content = NoteContent(user: "ann", time: 7, text: "x ababa y", quote: "no")
        #expect(content.redacted(passage)?.text == "x ***** y" && content.redacted(passage)?.quote == "no")
        content.text = "ab a"
        #expect(content.redacted(passage) == nil)
    }
}
