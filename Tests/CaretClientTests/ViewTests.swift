import CaretClient
import CaretCore
import TestSupport
import Testing

@Suite("Views") struct ViewTests {
    /// A view as a person sees it.
    final class TestView: TextInput {
        var inputText: String
        var inputSelection: Range<Int>

        init(_ text: String = "", selecting selection: Range<Int> = 0..<0) {
            inputText = text
            inputSelection = selection
        }

        /// As a person does: in place of what is selected.
        func type(_ text: String) {
            var units = Array(inputText.utf16)
            units.replaceSubrange(inputSelection, with: text.utf16)
            inputText = String(decoding: units, as: UTF16.self)
            let caret = inputSelection.lowerBound + text.utf16.count
            inputSelection = caret..<caret
        }
    }

    private static let text = "Watch Bugger attack videos together and discuss strategy."

    @Test(
        "a reload keeps the caret or selection on what it was on",
        arguments: [
            (10..<10, "Watch Bugger attack videos together.", 10..<10),
            (10..<10, "View recorded Bugger attack videos together and discuss strategy.", 18..<18),
            (6..<12, "Watch the Bugger attack videos together and discuss strategy.", 10..<16),
            (6..<12, "Watch attack videos together and discuss strategy.", 6..<6),
        ])
    func reload(before: Range<Int>, text: String, after: Range<Int>) throws {
        let view = TestView(ViewTests.text, selecting: before)
        try view.reload(text)
        #expect(view.inputText == text && view.inputSelection == after)
    }

    @Test("what is typed in a view and what others do at the same time come together, and carets stay")
    func binding() async throws {
        let server = try ServerProcess()
        let document = try await CaretClient(server.address).open("a", creating: true)
        try document.setText("one two three")
        let view = TestView()
        let binding = document.binding()
        binding.begin(view)
        view.inputSelection = 4..<7
        // Both before either knows of the other.
        try document.replace(0..<3, with: "1")
        view.type("TWO")
        try binding.update(view)
        #expect(view.inputText == "1 TWO three" && document.text.string == view.inputText)
        #expect(view.inputSelection == 5..<5 && document.selections == [Selection(caret: 5)])
        document.undo()
        try binding.update(view)
        #expect(view.inputText == "1 two three")
        try await document.saved()
    }

    @Test("two views of one document, changed in any order, show the same once both are updated")
    func twoViews() async throws {
        let server = try ServerProcess()
        let document = try await CaretClient(server.address).open("a", creating: true)
        var random = Seeded(7)
        let pairs = (0..<2).map { _ in (TestView(), document.binding()) }
        for _ in 0..<300 {
            let (view, binding) = random.pick(pairs)
            if random.chance(60) {
                let places = SampleChange.scalarBoundaries(of: view.inputText)
                let (one, other) = (random.pick(places), random.pick(places))
                view.inputSelection = random.chance(80) ? one..<one : min(one, other)..<max(one, other)
                view.type(SampleText.make(upTo: 3, &random))
            } else {
                try binding.update(view)
            }
        }
        for (view, binding) in pairs + pairs { try binding.update(view) }
        for (view, _) in pairs { #expect(try Text(view.inputText) == document.text) }
        try await document.saved()
    }
}
