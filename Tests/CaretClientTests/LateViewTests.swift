import CaretClient
import CaretCore
import TestSupport
import Testing

/// An editor and a document that reach each other late, with a `LateView` between them.
private struct LateEditor {
    enum Message {
        case change(Change, seen: Int)
        case applied(Int)
    }

    /// What the editor does with a change that was made before its last message arrived.
    let dropsLateUpdates: Bool
    private(set) var document: TextBuffer
    /// What the view has not been told yet.
    private var missing = Change()
    private var view: LateView
    private(set) var text: TextBuffer
    private var (seen, sent) = (0, 0)
    private var updates: [LateView.Update] = []
    private var messages: [Message] = []
    private(set) var crossings = 0

    init(dropsLateUpdates: Bool = true) throws {
        self.dropsLateUpdates = dropsLateUpdates
        document = try TextBuffer("one two three\n")
        text = document
        view = LateView(document)
    }

    /// The user replaces text in the editor.
    mutating func type(_ edit: Edit) throws {
        let change = try Change([edit])
        text = try text.applying(change)
        sent += 1
        messages.append(.change(change, seen: seen))
    }

    /// Somebody else replaces text in the document.
    mutating func push(_ edit: Edit) throws {
        let change = try Change([edit])
        document = try document.applying(change)
        missing = try missing.composed(with: change)
    }

    mutating func show() {
        if view.update != nil { return }
        defer { missing = Change() }
        if let update = view.show(missing) { updates.append(update) }
    }

    mutating func deliverUpdate() throws {
        if updates.isEmpty { return }
        let update = updates.removeFirst()
        if update.after != sent {
            crossings += 1
            if dropsLateUpdates { return }
        }
        text = try text.applying(update.change)
        seen = update.number
        messages.append(.applied(seen))
    }

    mutating func deliverMessage() throws {
        if messages.isEmpty { return }
        switch messages.removeFirst() {
        case .applied(let number): try view.applied(number)
        case .change(let change, let seen):
            var (document, missing) = (document, missing)
            let correction = try LateEditor.correction(of: change)
            let update = try view.entered(change, correction: correction, seen: seen) { change in
                let typed = change.rebased(over: missing, tie: .otherFirst)
                defer { missing = Change() }
                document = try document.applying(typed)
                return missing.rebased(over: change, tie: .selfFirst)
            }
            (self.document, self.missing) = (document, missing)
            if let update { updates.append(update) }
        }
    }

    /// A character that the editor can have, and the document cannot.
    static let foreign = "\u{1A}"

    /// Turns foreign characters that were typed into line feeds.
    private static func correction(of change: Change) throws -> Change {
        var (edits, growth): ([Edit], Int) = ([], 0)
        for edit in change.edits {
            for (index, unit) in edit.text.utf16.enumerated() where unit == foreign.utf16.first {
                let offset = edit.range.lowerBound.value + growth + index
                edits.append(try Edit(Offset(offset)..<Offset(offset + 1), "\n"))
            }
            growth += edit.inserted.utf16 - (edit.range.upperBound - edit.range.lowerBound)
        }
        return try Change(edits)
    }

    var isQuiet: Bool { updates.isEmpty && messages.isEmpty && missing.isEmpty && view.update == nil }
    var viewText: TextBuffer { view.text }
}

@Suite("A view that shows changes later than the document") struct LateViewTests {
    /// A random edit of a text: a new word, or the removal of a few letters.
    private func edit(_ text: TextBuffer, _ word: String?, _ random: inout Seeded) throws -> Edit {
        let end = text.length.utf16
        let start = Int.random(in: 0...end, using: &random)
        if let word { return try Edit(Offset(start)..<Offset(start), word) }
        return try Edit(Offset(start)..<Offset(min(end, start + Int.random(in: 0...4, using: &random))), "")
    }

    /// Runs random steps. Without removals, every word must be there once at the end.
    private func run(_ editor: inout LateEditor, seed: UInt64, removes: Bool) throws -> [String] {
        var random = Seeded(seed)
        var words: [String] = []
        for step in 0..<60 {
            let isRemoval = removes && Bool.random(using: &random)
            let word = isRemoval ? nil : "<\(step)>"
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let isForeign = Int.random(in: 0..<4, using: &random) == 0
                let typed = word.map { isForeign ? LateEditor.foreign + $0 + LateEditor.foreign : $0 }
                try editor.type(edit(editor.text, typed, &random))
                if let word { words.append(word) }
            case 1:
                try editor.push(edit(editor.document, word, &random))
                if let word { words.append(word) }
            case 2: editor.show()
            case 3: try editor.deliverUpdate()
            default: try editor.deliverMessage()
            }
        }
        while !editor.isQuiet {
            editor.show()
            try editor.deliverUpdate()
            try editor.deliverMessage()
        }
        return words
    }

    @Test("the editor and the document are equal in the end", arguments: [false, true])
    func converges(removes: Bool) throws {
        var crossings = 0
        for seed in 0..<2_000 as Range<UInt64> {
            var editor = try LateEditor()
            let words = try run(&editor, seed: seed, removes: removes)
            #expect(editor.text == editor.document && editor.viewText == editor.text, "seed \(seed)")
            #expect(!editor.text.string.contains(LateEditor.foreign), "seed \(seed)")
            if !removes {
                let text = editor.text.string.filter { "<>0123456789".contains($0) }
                #expect(text.count == words.joined().count, "seed \(seed): \(editor.text.string)")
            }
            crossings += editor.crossings
        }
        #expect(crossings > 1_000)
    }

    @Test("an editor that applies a late change gets another text")
    func plantedFault() {
        let isFound = (0..<50).contains { (seed: UInt64) in
            do {
                var editor = try LateEditor(dropsLateUpdates: false)
                _ = try run(&editor, seed: seed, removes: true)
                return editor.text != editor.document
            } catch {
                // An edit does not fit the text.
                return true
            }
        }
        #expect(isFound)
    }

    @Test("a change waits until the last one was answered")
    func oneAtATime() throws {
        var view = LateView(try TextBuffer("a"))
        let first = try Change([Edit(1..<1, "b")])
        let update = view.show(first)
        #expect(update?.number == 1 && update?.after == 0 && update?.change == first)
        #expect(view.text.string == "a")
        #expect(view.mapped([Selection(caret: 1)]) == [Selection(caret: 2)])
        try view.applied(0)
        #expect(view.update?.number == 1)
        try view.applied(1)
        #expect(view.update == nil && view.text.string == "ab")
        #expect(view.show(Change()) == nil && view.lastNumber == 1)
    }
}
