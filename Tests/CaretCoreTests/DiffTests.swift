import CaretCore
import TestSupport
import Testing

@Suite("The diff of two texts") struct DiffTests {
    @Test("applying the diff gives the new text and cuts no grapheme")
    func diffIsHonest() {
        checkLaw("diffIsHonest", cases: Seeds.share(of: 500_000, everyCommit: 100_000)) { random in
            let old = try TextBuffer(SampleText.make(upTo: 30, &random))
            let new = try pushed(old, &random)
            let change = diff(from: old, to: new)
            if try old.applying(change) != new { return "\(report(old, new, change)) gives another text" }
            return brokenGrapheme(change, old, new) ?? brokenLaw(change, old)
        }
    }

    @Test("the diff of one edit in plain text is no larger than the edit")
    func oneEditIsSmall() {
        checkLaw("oneEditIsSmall", cases: Seeds.share(of: 200_000, everyCommit: 50_000)) { random in
            let old = try TextBuffer(SampleText.lines(bytes: random.number(1...400), &random))
            let places = [random.number(0...old.end.value), random.number(0...old.end.value)].sorted()
            let end = random.chance(50) ? places[0] : min(places[1], places[0] + 20)
            let made = SampleChange.change([
                SampleChange.edit(places[0], end, SampleText.make(upTo: 8, tricky: 0, &random))
            ])
            let new = try old.applying(made)
            let found = diff(from: old, to: new)
            if try old.applying(found) != new { return "\(report(old, new, found)) gives another text" }
            return size(found) <= size(made) ? nil : "\(report(old, new, found)) is larger than \(made)"
        }
    }

    @Test("the diff of scattered edits in a long text is no larger than the edits")
    func scatteredEdits() {
        checkLaw("scatteredEdits", cases: Seeds.share(of: 300, everyCommit: 60)) { random in
            let old = try TextBuffer(SampleText.lines(bytes: 60_000, &random))
            var edits: [Edit] = []
            var place = random.number(0...3000)
            while place < 59_000 {
                let end = place + random.number(0...8)
                edits.append(SampleChange.edit(place, end, random.chance(20) ? "" : SampleText.word(&random)))
                place = end + random.number(200...6000)
            }
            let made = SampleChange.change(edits)
            let new = try old.applying(made)
            let found = diff(from: old, to: new)
            if try old.applying(found) != new { return "the diff gives another text" }
            // A new word may share letters with the old word or its neighbours. So the found edits may be
            // smaller, but they are never larger.
            return size(found) <= size(made)
                ? nil : "\(size(found)) scalars of edits found, \(size(made)) made"
        }
    }

    @Test("each run of replaced lines is one edit, however near the next run is")
    func replacedLines() {
        checkLaw("replacedLines", cases: Seeds.share(of: 5_000, everyCommit: 1_000)) { random in
            let count = random.number(1...60)
            let isReplaced = (0..<count).map { _ in random.chance(40) }
            // No line occurs twice, and a new line shares only the line break with the old line.
            let lines = (0..<count).map { String($0 + 100) }
            let new = zip(lines, isReplaced).map { line, isReplaced in
                isReplaced ? String(repeating: "q", count: random.number(1...9)) : line
            }
            let texts = (
                try TextBuffer(lines.joined(separator: "\n")), try TextBuffer(new.joined(separator: "\n"))
            )
            let change = diff(from: texts.0, to: texts.1)
            if try texts.0.applying(change) != texts.1 {
                return "\(report(texts.0, texts.1, change)) gives another text"
            }
            let runs = isReplaced.indices.count { isReplaced[$0] && ($0 == 0 || !isReplaced[$0 - 1]) }
            return change.edits.count == runs ? nil : "\(runs) runs of replaced lines: \(change)"
        }
    }

    @Test("if lines were reordered, the diff keeps as many lines as possible")
    func movedLines() {
        checkLaw("movedLines", cases: Seeds.share(of: 5_000, everyCommit: 1_000)) { random in
            let count = random.number(1...40)
            var order = Array(0..<count)
            for _ in 0..<random.number(0...count) {
                order.insert(order.remove(at: random.number(0...count - 1)), at: random.number(0...count - 1))
            }
            let text = { (lines: [Int]) in try TextBuffer(lines.map { "\($0 + 100)\n" }.joined()) }
            let (old, new) = (try text(Array(0..<count)), try text(order))
            let change = diff(from: old, to: new)
            if try old.applying(change) != new { return "\(report(old, new, change)) gives another text" }
            let lost = change.edits.reduce(0) { $0 + removed($1, old) }
            let moved = count - longestRise(of: order)
            return lost <= moved * 4 ? nil : "\(lost) scalars removed, \(moved) lines moved: \(order)"
        }
    }

    /// The length of the longest ascending subsequence.
    private func longestRise(of numbers: [Int]) -> Int {
        var rises: [Int] = []
        for (index, number) in numbers.enumerated() {
            let before = (0..<index).filter { numbers[$0] < number }.map { rises[$0] }
            rises.append(1 + (before.max() ?? 0))
        }
        return rises.max() ?? 0
    }

    @Test("a long inserted or removed passage does not enlarge the edits near it")
    func longPassages() {
        checkLaw("longPassages", cases: Seeds.share(of: 200, everyCommit: 40)) { random in
            let isOneLine = random.chance(50)
            let old = try TextBuffer(isOneLine ? words(1500, &random) : functions(200, &random))
            let passage =
                isOneLine ? words(random.number(1...60), &random) : functions(random.number(1...400), &random)
            // The passage is in the middle of a line, or at the beginning of a line of code.
            let place = isOneLine ? old.end.value / 2 : 40 * (old.end.value / 80)
            let made = SampleChange.change([
                SampleChange.edit(9, 10, "#"), SampleChange.edit(place, place, passage),
                SampleChange.edit(old.end.value - 9, old.end.value - 8, "#"),
            ])
            let new = try old.applying(made)
            for (one, other) in [(old, new), (new, old)] {
                let found = diff(from: one, to: other)
                if try one.applying(found) != other { return "the diff gives another text" }
                // A passage may share letters with its surroundings. Text between two passages may be both
                // removed and inserted.
                if size(found) * 2 > size(made) * 3 { return "\(size(found)) found for \(size(made)) made" }
            }
            return nil
        }
    }

    private func words(_ count: Int, _ random: inout Seeded) -> String {
        (0..<count).map { _ in SampleText.word(&random) + " " }.joined()
    }

    /// Functions of four lines with 40 letters each. Two of the lines are in every function.
    private func functions(_ count: Int, _ random: inout Seeded) -> String {
        (0..<count).map { _ in
            let name = String(100_000 + random.number(0...899_999))
            return "func f\(name)() {\n  g(\(name))\n  end()\n}\n\n"
        }.joined()
    }

    @Test("the diff of unrelated or hostile texts is correct")
    func hostileTexts() throws {
        let reversed = (0..<3000).map { "line \($0)\n" }
        let flags = String(repeating: "🇩🇪", count: 4000)
        let marks = "a" + String(repeating: "\u{301}", count: 20_000)
        let pairs: [(String, String)] = [
            (reversed.joined(), reversed.reversed().joined()),
            (String(repeating: "ab", count: 50_000), String(repeating: "ba", count: 50_000) + "c"),
            (String(repeating: "a\n", count: 20_000), String(repeating: "a\n", count: 9_000) + "b\n"),
            (flags, "🇫" + flags), (flags + "x", "🇫🇷" + flags + "y"),
            (marks, "b" + marks.dropFirst() + "\u{301}"),
            (String(repeating: "x y z ", count: 9_000), String(repeating: "z y w ", count: 11_000)),
        ]
        for (old, new) in pairs {
            let (old, new) = (try TextBuffer(old), try TextBuffer(new))
            let change = diff(from: old, to: new)
            #expect(try old.applying(change) == new)
            #expect(brokenGrapheme(change, old, new) == nil)
        }
    }

    @Test("two edits in one pushed text do not move a caret between them")
    func twoChangesInOnePush() throws {
        let old = try TextBuffer("the original text")
        let new = try TextBuffer("some original words")
        let change = diff(from: old, to: new)
        #expect(change.edits.count == 2)
        // A caret before a letter of "original" stays before this letter.
        for letter in 4...12 { #expect(Offset(letter).mapped(through: change) == Offset(letter + 1)) }
    }

    @Test("a caret between an inserted sentence and the next edit stays in place")
    func longInsertion() throws {
        let old = try TextBuffer("He went home. The weather was bad that day, as it had been.")
        let typed = "It was late, and everybody whom he knew had left long before him. "
        let new = try TextBuffer("He went home. \(typed)The weather was awful that day, as it had been.")
        let change = diff(from: old, to: new)
        #expect(try old.applying(change) == new)
        // A caret before a letter of "The weather was " stays before this letter.
        for letter in 14...29 {
            #expect(Offset(letter).mapped(through: change) == Offset(letter + typed.utf16.count))
        }
    }

    @Test("an insertion is not moved into the text before it if both end alike")
    func insertionEndsLikeTextBefore() throws {
        let old = try TextBuffer("I saw the green valley and then the old mountains of Norway!")
        let typed = "hiked on with the others until then "
        let new = try TextBuffer(
            "We saw the green valley and then \(typed)the old mountains of Norway?")
        let edits = [
            SampleChange.edit(0, 1, "We"), SampleChange.edit(32, 32, typed), SampleChange.edit(59, 60, "?"),
        ]
        #expect(diff(from: old, to: new) == SampleChange.change(edits))
    }

    /// Edits that a person may make before the whole text is pushed.
    private func pushed(_ old: TextBuffer, _ random: inout Seeded) throws -> TextBuffer {
        if random.chance(10) { return try TextBuffer(SampleText.make(upTo: 30, &random)) }
        return try old.applying(SampleChange.make(for: old, upTo: 4, &random))
    }

    private func size(_ change: Change) -> Int {
        change.edits.reduce(0) { $0 + $1.inserted.utf16 + ($1.range.upperBound - $1.range.lowerBound) }
    }

    private func report(_ old: TextBuffer, _ new: TextBuffer, _ change: Change) -> String {
        "\(readable(old.string)) → \(readable(new.string)): \(change)"
    }

    /// An edit boundary inside a grapheme of the old or the new text; nil if there is none.
    private func brokenGrapheme(_ change: Change, _ old: TextBuffer, _ new: TextBuffer) -> String? {
        let (oldEdges, newEdges) = (graphemeEdges(old.string), graphemeEdges(new.string))
        var shift = 0
        for edit in change.edits {
            let (start, end) = (edit.range.lowerBound.value, edit.range.upperBound.value)
            let newEnd = start + shift + edit.inserted.utf16
            if !oldEdges.isSuperset(of: [start, end]) || !newEdges.isSuperset(of: [start + shift, newEnd]) {
                return "\(report(old, new, change)) cuts a grapheme"
            }
            shift = newEnd - end
        }
        return nil
    }

    private func graphemeEdges(_ string: String) -> Set<Int> {
        Set(string.indices.map { $0.utf16Offset(in: string) } + [string.utf16.count])
    }

    /// A report of two edits that the diff should have joined, because the equal text between them is short.
    private func brokenLaw(_ change: Change, _ old: TextBuffer) -> String? {
        for (left, right) in zip(change.edits, change.edits.dropFirst()) {
            guard let stretch = try? old.slice(left.range.upperBound..<right.range.lowerBound) else {
                return "\(change) has edits outside the old text"
            }
            let lines = stretch.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            let whole = lines.dropFirst().dropLast()
            if whole.contains(where: { $0.contains { $0 != " " && $0 != "\t" } }) { continue }
            // The first line of the equal text is also whole if the edit before it ends with a line break.
            let startsLine = left.range.upperBound.value == 0 || left.text.hasSuffix("\n")
            if lines.count > 1, startsLine || endsLine(left, in: old), isBlank(lines[0]) == false { continue }
            let largest = [left, right].flatMap { [$0.inserted.scalars, removed($0, old)] }.max() ?? 0
            if stretch.unicodeScalars.count <= min(largest, 12) {
                return "\(readable(old.string)): \(change) must join the edits around \(readable(stretch))"
            }
        }
        return nil
    }

    private func isBlank(_ line: Substring.UnicodeScalarView) -> Bool {
        line.allSatisfy { $0 == " " || $0 == "\t" }
    }

    private func endsLine(_ edit: Edit, in old: TextBuffer) -> Bool {
        let end = edit.range.upperBound
        return end.value > 0 && (try? old.slice(end - 1..<end)) == "\n"
    }

    private func removed(_ edit: Edit, _ old: TextBuffer) -> Int {
        (try? old.slice(edit.range))?.unicodeScalars.count ?? 0
    }
}
