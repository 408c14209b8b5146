import CaretClient
import CaretCore
import CaretViews
import Foundation
import TestSupport
import Testing

@Suite("Views that a binding keeps equal to a document", .serialized) @MainActor struct EditorBindingTests {
    private nonisolated static let text = "Watch Bugger attack videos together and discuss strategy."

    /// A view with a binding, in a client of its own.
    private func open(
        _ name: String = "a", on server: ServerProcess, _ person: PersonInfo? = nil
    ) async throws -> (view: StandInTextView, document: LiveDocument) {
        let client = LiveClient(server.address, ClientOptions(person: person))
        let document = try await client.open(name, creating: true).opened()
        return (bind(StandInTextView(), document), document)
    }

    private func bind(_ view: StandInTextView, _ document: LiveDocument) -> StandInTextView {
        view.binding = EditorBinding(view, document)
        return view
    }

    /// Sleeps between the checks, because a loop of `Task.yield` keeps the main actor from everybody else.
    private func wait(until condition: () -> Bool) async {
        let end = ContinuousClock.now + .seconds(60)
        while !condition(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(condition())
    }

    @Test(
        "a change by another client leaves the caret or selection on its characters",
        arguments: [
            (10..<10, Self.text, 10..<10),
            (10..<10, "Watch Bugger attack videos together.", 10..<10),
            (10..<10, "Bugger attack videos together and discuss strategy.", 4..<4),
            (10..<10, "View Bugger attack videos together and discuss strategy.", 9..<9),
            (10..<10, "Watch attack videos together and discuss strategy.", 6..<6),
            (10..<10, "View recorded Bugger attack videos together and discuss strategy.", 18..<18),
            (6..<12, "Watch Bugger attack videos and discuss strategy.", 6..<12),
            (6..<12, "Watch the Bugger attack videos together and discuss strategy.", 10..<16),
            (6..<12, "Watch Bear attack videos together and discuss strategy.", 6..<10),
            (6..<12, "Watch Big bad bugger attack videos together and discuss strategy.", 6..<20),
            (6..<12, "Watch Bug attack videos together and discuss strategy.", 6..<9),
            (6..<12, "Watch Bug vehicle attack videos together and discuss strategy.", 6..<9),
            (6..<12, "Watch er attack videos together and discuss strategy.", 6..<8),
            (6..<12, "Watching some tiger attack videos together and discuss strategy.", 16..<19),
            (6..<12, "Watch attack videos together and discuss strategy.", 6..<6),
            (6..<12, "Wattack videos together and discuss strategy.", 3..<3),
            (6..<12, "Watching attack videos together and discuss strategy.", 8..<8),
        ])
    func caretTable(before: Range<Int>, text: String, after: Range<Int>) async throws {
        let server = try ServerProcess()
        let other = try await open(on: server)
        other.view.type(Self.text)
        try await other.document.saved()
        let own = try await open(on: server)
        #expect(own.view.text == Self.text && own.view.editorSelection == 0..<0)
        own.view.editorSelection = before
        try other.document.setText(text)
        await wait { own.view.text == text }
        #expect(own.view.editorSelection == after)
        #expect(own.document.selections.map(\.head.value) == [after.upperBound])
    }

    @Test("views of two clients agree after random typing", arguments: 1...3)
    func random(seed: UInt64) async throws {
        let server = try ServerProcess()
        let (one, other) = (try await open(on: server), try await open(on: server))
        // The third view shows the document object of the first one.
        let views = [one.view, other.view, bind(StandInTextView(), one.document)]
        var random = Seeded(seed)
        for step in 0..<400 {
            let view = random.pick(views)
            let offsets = SampleChange.scalarBoundaries(of: view.text)
            let (start, end) = (random.pick(offsets), random.pick(offsets))
            view.editorSelection = random.chance(80) ? start..<start : min(start, end)..<max(start, end)
            if random.chance(15) {
                view.mark("n")
                if random.chance(50) { await Task.yield() }
                view.commit(SampleText.make(upTo: 2, &random))
            } else {
                view.type(SampleText.make(upTo: 3, &random))
            }
            if random.chance(10) { view.binding?.undo() }
            if step % 7 == 0 { await Task.yield() }
        }
        try await one.document.saved()
        try await other.document.saved()
        await wait {
            one.document.text == other.document.text && one.document.revision == other.document.revision
        }
        for view in views {
            view.binding?.sync()
            #expect(try TextBuffer(view.text) == one.document.text)
        }
        try await one.document.saved()
    }

    @Test("an edit of one letter is passed on as one letter, without reading the text")
    func smallEdits() async throws {
        let server = try ServerProcess()
        let (own, other) = (try await open(on: server), try await open(on: server))
        own.view.type(String(repeating: "word ", count: 20_000))
        try await own.document.saved()
        await wait { other.view.editorLength == 100_000 }
        let (reads, applied) = (own.view.reads, other.view.applied.count)
        own.view.editorSelection = 50_000..<50_000
        own.view.type("x")
        try await own.document.saved()
        await wait { other.view.editorLength == 100_001 }
        #expect(other.view.applied.dropFirst(applied) == [[EditorEdit(50_000..<50_000, "x")]])
        #expect(own.view.reads == reads && other.view.text == own.document.text.string)
    }

    @Test("changes of others wait while an input method composes")
    func composing() async throws {
        let server = try ServerProcess()
        let (own, other) = (try await open(on: server), try await open(on: server))
        own.view.type("one")
        try await own.document.saved()
        own.view.mark("ni")
        other.document.undo()
        await wait { other.view.text == "one" }
        other.view.editorSelection = 0..<0
        other.view.type("0 ")
        await wait { own.document.text.string == "0 one" }
        own.view.binding?.sync()
        #expect(own.view.text == "oneni" && own.view.isComposing && own.view.editorSelection == 5..<5)
        #expect(own.document.state == .sending)
        own.view.commit("你")
        #expect(own.view.text == "0 one你" && own.view.editorSelection == 6..<6)
        try await own.document.saved()
        await wait { other.view.text == "0 one你" }
    }

    @Test("undo and redo affect only the user's own edits, and not during a composition")
    func undo() async throws {
        let server = try ServerProcess()
        let (own, other) = (try await open(on: server), try await open(on: server))
        own.view.type("mine")
        try await own.document.saved()
        await wait { other.view.text == "mine" }
        other.view.editorSelection = 4..<4
        other.view.type(" theirs")
        await wait { own.view.text == "mine theirs" }
        own.view.mark("n")
        own.view.binding?.undo()
        #expect(own.view.text == "mine theirsn")
        own.view.commit("")
        own.view.binding?.undo()
        #expect(own.view.text == " theirs")
        own.view.binding?.redo()
        #expect(own.view.text == "mine theirs")
        await wait { other.view.text == "mine theirs" }
    }

    @Test("what the user types before the text arrives stays after it, and the caret stays with it")
    func early() async throws {
        let server = try ServerProcess()
        try await LiveClient(server.address).push("one\n", to: "a", creating: true)
        // The text must not arrive before the user types.
        server.standStill()
        let documents = (0..<2).map { _ in LiveClient(server.address).open("a") }
        let views = documents.map { bind(StandInTextView(), $0) }
        views[0].type("early")
        server.goOn()
        for document in documents { try await document.opened() }
        await wait { views[0].text == "one\nearly" && views[1].text.hasPrefix("one\n") }
        #expect(views[0].editorSelection == 9..<9)
        #expect(views[1].editorSelection == 0..<0)
    }

    @Test("CR LF and CR in pasted text become LF, also in the view")
    func lineBreaks() async throws {
        let server = try ServerProcess()
        let own = try await open(on: server)
        own.view.type("a\r\nb\rc")
        #expect(own.view.text == "a\nb\nc" && own.document.text.string == "a\nb\nc")
        #expect(own.view.editorSelection == 5..<5)
        try await own.document.saved()
    }

    @Test("an edit of half an emoji is found by comparing the texts")
    func halfScalars() async throws {
        let server = try ServerProcess()
        let own = try await open(on: server)
        own.view.type("a😀b")
        own.view.editorSelection = 1..<2
        own.view.type("")
        #expect(own.view.reads == 1)
        try await own.document.saved()
        #expect(own.document.text.string == own.view.text && own.document.text.end == 3)
    }

    @Test("a view draws the carets of others in their colors, where others have moved them")
    func carets() async throws {
        let server = try ServerProcess()
        let own = try await open(on: server)
        let other = try await open(on: server, PersonInfo(name: "Ann", color: "#c33"))
        other.view.type("one two")
        other.view.editorSelection = 4..<7
        await wait { own.view.carets.first?.range == 4..<7 }
        own.view.editorSelection = 0..<0
        own.view.type("0 ")
        let caret = try #require(own.view.carets.first)
        #expect(
            caret.name == "Ann" && caret.color == CaretColor(css: "#cc3333") && own.view.carets.count == 1)
        #expect(caret.range == 6..<9 && caret.head == 9)
        other.document.close()
        await wait { own.view.carets.isEmpty }
    }

    @Test(
        "a CSS color has three or six hexadecimal digits",
        arguments: ["", "red", "#", "#12", "#12345", "#-12", "#+12", "#1234567", "#ggg"])
    func noColor(css: String) {
        #expect(CaretColor(css: css) == nil)
        #expect(CaretColor(css: "#f00")?.red == 1 && CaretColor(css: "#00ff00")?.green == 1)
    }
}
