import CaretClient
import CaretCore
import CaretReplica
import TestSupport
import Testing

@Suite("Text views that show a document") struct ViewTests {
    /// A view that a user edits.
    final class TestView: TextInput {
        var inputText: String
        var inputSelection: Range<Int>

        init(_ text: String = "", selecting selection: Range<Int> = 0..<0) {
            inputText = text
            inputSelection = selection
        }

        /// Replaces the selection by a text, as a user does.
        func type(_ text: String) {
            var units = Array(inputText.utf16)
            units.replaceSubrange(inputSelection, with: text.utf16)
            inputText = String(decoding: units, as: UTF16.self)
            let caret = inputSelection.lowerBound + text.utf16.count
            inputSelection = caret..<caret
        }
    }

    /// Behaves like `UITextView`. Setting the text moves the caret to the end. Each change calls the delegate
    /// before it returns, even a change by the program.
    final class DelegatingView: TextInput {
        var delegate: (DelegatingView) -> Void = { _ in }
        var isComposing = false
        private var text = ""
        private var selection = 0..<0

        var inputText: String {
            get { text }
            set {
                text = newValue
                selection = newValue.utf16.count..<newValue.utf16.count
                delegate(self)
            }
        }

        var inputSelection: Range<Int> {
            get { selection }
            set {
                selection = newValue
                delegate(self)
            }
        }

        /// Replaces the selection by a text, as a user or an input method does.
        func type(_ string: String) {
            var units = Array(text.utf16)
            units.replaceSubrange(selection, with: string.utf16)
            text = String(decoding: units, as: UTF16.self)
            let caret = selection.lowerBound + string.utf16.count
            selection = caret..<caret
            // The view calls its delegate twice: for the selection and for the text.
            delegate(self)
            delegate(self)
        }
    }

    private static let text = "Watch Bugger attack videos together and discuss strategy."

    @Test(
        "a reload keeps the caret or selection on the same characters",
        arguments: [
            (10..<10, "Watch Bugger attack videos together.", 10..<10),
            (10..<10, "View recorded Bugger attack videos together and discuss strategy.", 18..<18),
            (6..<12, "Watch the Bugger attack videos together and discuss strategy.", 10..<16),
            (6..<12, "Watch attack videos together and discuss strategy.", 6..<6),
        ])
    func reload(before: Range<Int>, text: String, after: Range<Int>) throws {
        let view = TestView(ViewTests.text, selecting: before)
        view.reload(text)
        #expect(view.inputText == text && view.inputSelection == after)
    }

    @Test("if a view and others change the text at the same time, both edits stay")
    func binding() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        try document.setText("one two three")
        let view = TestView()
        let binding = document.binding()
        binding.begin(view)
        view.inputSelection = 4..<7
        // The document changes, and then the view. Neither of them knows the other's change yet.
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

    @Test("the caret stays if the view calls its delegate during an update")
    func delegate() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        try document.setText("one two")
        let binding = document.binding()
        let view = DelegatingView()
        var carets: [[Selection]] = []
        view.delegate = { view in
            #expect(throws: Never.self) { try binding.update(view) }
            carets.append(document.selections)
        }
        binding.begin(view)
        #expect(view.inputText == "one two" && view.inputSelection == 0..<0)
        // The view had another caret for a moment, and this caret was not sent.
        #expect(document.selections.isEmpty)
        view.inputSelection = 3..<3
        let other = LiveClient(server.address)
        let theirs = try await other.open("a").opened()
        carets = []
        for letter in ["x", "y", "z"] {
            try theirs.replace(0..<0, with: letter)
            try await theirs.saved()
            while document.text.string != theirs.text.string { await Task.yield() }
            // An app does this in its loop over `updates`.
            try binding.update(view)
            #expect(view.inputText == document.text.string)
        }
        #expect(view.inputSelection == 6..<6 && document.selections == [Selection(caret: 6)])
        // The caret was never anywhere else, for example at the end.
        #expect(Set(carets.map { $0.map(\.head.value) }) == [[4], [5], [6]])
        view.type("!")
        #expect(document.text.string == "zyxone! two" && document.selections == [Selection(caret: 7)])
        try await document.saved()
        // There are only five revisions: the first text, three letters of others, and one letter typed in the
        // view.
        #expect(document.revision == 5)
    }

    @Test("an update does not set the text of a view that is up to date")
    func upToDate() throws {
        let document = LiveClient(.unix(path: "/nowhere/caretd.sock")).open("a")
        try document.setText("one")
        let (view, binding) = (DelegatingView(), document.binding())
        binding.begin(view)
        var changes = 0
        view.delegate = { _ in changes += 1 }
        try binding.update(view)
        #expect(view.inputText == "one" && changes == 0)
    }

    @Test("a view is not changed while an input method composes a character")
    func composing() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        try document.setText("one")
        try await document.saved()
        let binding = document.binding()
        let view = DelegatingView()
        view.delegate = { view in #expect(throws: Never.self) { try binding.update(view) } }
        binding.begin(view)
        view.inputSelection = 3..<3
        view.isComposing = true
        view.type("ni")
        #expect(document.text.string == "one" && document.state == .sending)
        try document.replace(0..<0, with: "0 ")
        try binding.update(view)
        #expect(view.inputText == "oneni" && view.inputSelection == 5..<5)
        view.inputSelection = 3..<5
        view.isComposing = false
        view.type("你")
        #expect(view.inputText == "0 one你" && document.text.string == "0 one你")
        #expect(view.inputSelection == 6..<6)
        try await document.saved()
        #expect(document.revision <= 3 && document.state == .saved)
    }

    @Test("CR LF and CR in pasted text become LF, also in the view")
    func lineBreaks() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        let (view, binding) = (TestView(), document.binding())
        binding.begin(view)
        view.type("one\r\ntwo\rthree\r\n\rfour")
        #expect(view.inputSelection == 21..<21)
        try binding.update(view)
        #expect(view.inputText == "one\ntwo\nthree\n\nfour" && view.inputSelection == 19..<19)
        #expect(document.text.string == view.inputText && document.selections == [Selection(caret: 19)])
        // The selection begins between CR and LF. The CR is the only difference between the view and the
        // document.
        view.inputText = "one\r\ntwo\nthree\n\nfour"
        view.inputSelection = 4..<5
        try binding.update(view)
        #expect(view.inputText == document.text.string && view.inputSelection == 4..<4)
        try document.setText("five\r\nsix")
        try document.replace(0..<0, with: "\r")
        #expect(document.text.string == "\nfive\nsix")
        view.reload("five\r\nsix")
        #expect(view.inputText == "five\nsix")
        try await document.saved()
    }

    @Test("two views of one document show its text after every update")
    func twoViews() async throws {
        let server = try ServerProcess()
        let document = try await LiveClient(server.address).open("a", creating: true).opened()
        var random = Seeded(7)
        let pairs = (0..<2).map { _ in (TestView(), document.binding()) }
        for step in 0..<300 {
            let (view, binding) = random.pick(pairs)
            if random.chance(60) {
                let offsets = SampleChange.scalarBoundaries(of: view.inputText)
                let (one, other) = (random.pick(offsets), random.pick(offsets))
                view.inputSelection = random.chance(80) ? one..<one : min(one, other)..<max(one, other)
                view.type(SampleText.make(upTo: 3, &random))
            } else {
                try binding.update(view)
                // If view and text differed, a second update would treat the difference as an edit of the
                // user.
                try #require(TextBuffer(view.inputText) == document.text, "step \(step)")
            }
        }
        for (view, binding) in pairs { try binding.update(view) }
        let text = document.text
        for (view, binding) in pairs {
            try binding.update(view)
            #expect(try TextBuffer(view.inputText) == text && document.text == text)
        }
        try await document.saved()
    }
}
