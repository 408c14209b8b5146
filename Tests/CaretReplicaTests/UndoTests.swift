import CaretCore
import CaretReplica
import TestSupport
import Testing

@Suite("Undo and redo in a replica") struct UndoTests {
    private func typing(_ text: String, at offset: Int, after pause: Milliseconds, in replica: inout Replica)
        throws
    {
        for (index, letter) in text.enumerated() {
            let edit = edit(offset + index, offset + index, String(letter))
            _ = try replica.typed(SampleChange.change([edit]), after: pause)
        }
    }

    private func opened(_ text: String) throws -> Replica { try Conversation.opened(text).replica }

    @Test("typing without a pause is one undo step")
    func groups() throws {
        var replica = try opened("")
        try typing("one", at: 0, after: 100, in: &replica)
        try typing(" ", at: 3, after: 5_000, in: &replica)
        try typing("two", at: 4, after: 100, in: &replica)
        #expect(replica.undo().contains(.edit(edit(3, 7, ""))))
        #expect(replica.text.string == "one")
        _ = replica.undo()
        #expect(replica.text.isEmpty && !replica.canUndo)
        #expect(replica.redo().contains(.edit(edit(0, 0, "one"))))
        _ = replica.redo()
        #expect(replica.text.string == "one two" && !replica.canRedo)
    }

    @Test("a pause of one second starts a new undo step, a shorter pause does not")
    func pauses() throws {
        for (pause, left) in [(999, ""), (1_000, "a")] as [(Milliseconds, String)] {
            var replica = try opened("")
            try typing("ab", at: 0, after: pause, in: &replica)
            _ = replica.undo()
            #expect(replica.text.string == left)
        }
    }

    @Test("typing stays one undo step if others insert text before it")
    func movedTyping() throws {
        var replica = try opened("x")
        try typing("a", at: 1, after: 100, in: &replica)
        _ = try replica.received(.acked(1, 2))
        _ = try replica.received(.changed(3, edit(0, 0, "1")))
        try typing("b", at: 3, after: 100, in: &replica)
        #expect(replica.text.string == "1xab")
        _ = replica.undo()
        #expect(replica.text.string == "1x")
    }

    @Test("only the latest 1,000 undo steps are kept")
    func limit() throws {
        var replica = try opened("")
        for _ in 0..<1_001 { _ = try replica.typed(SampleChange.change([edit(0, 0, "x")])) }
        var undos = 0
        while replica.canUndo {
            _ = replica.undo()
            undos += 1
        }
        #expect(undos == 1_000 && replica.text.string == "x")
    }

    @Test("typing elsewhere, or deleting, starts a new undo step")
    func newSteps() throws {
        var replica = try opened("....")
        try typing("ab", at: 4, after: 100, in: &replica)
        try typing("x", at: 0, after: 100, in: &replica)
        _ = try replica.typed(SampleChange.change([edit(0, 1, "")]), after: 100)
        var seen: [String] = []
        while replica.canUndo {
            _ = replica.undo()
            seen.append(replica.text.string)
        }
        #expect(seen == ["x....ab", "....ab", "...."])
    }

    @Test("one undo restores letters that were deleted one after the other")
    func backspace() throws {
        var replica = try opened("abcd")
        for end in [4, 3, 2] {
            _ = try replica.typed(SampleChange.change([edit(end - 1, end, "")]), after: 100)
        }
        #expect(replica.text.string == "a")
        _ = replica.undo()
        #expect(replica.text.string == "abcd")
    }

    @Test("an undo keeps text of others before, inside and after the user's text")
    func others() throws {
        var talk = try Conversation.opened("")
        var replica = talk.replica
        try typing("mine", at: 0, after: 100, in: &replica)
        _ = try replica.received(.acked(1, 2))
        _ = try replica.received(.acked(2, 3))
        talk = try Conversation.opened("ab")
        replica = talk.replica
        _ = try replica.typed(SampleChange.change([edit(1, 1, "mine")]))
        _ = try replica.received(.acked(1, 2))
        _ = try replica.received(.changed(3, edit(0, 0, "1"), edit(3, 3, "2"), edit(5, 5, "3")))
        #expect(replica.text.string == "1ami2ne3b")
        _ = replica.undo()
        #expect(replica.text.string == "1a23b")
        _ = replica.redo()
        #expect(replica.text.string.filter { !$0.isNumber } == "amineb")
    }

    @Test("an undo keeps text that others inserted where the user deleted text")
    func removedThere() throws {
        var replica = try opened("")
        _ = try replica.typed(SampleChange.change([edit(0, 0, "mine")]))
        _ = try replica.received(.acked(1, 2))
        _ = try replica.typed(SampleChange.change([edit(0, 4, "")]))
        _ = try replica.received(.acked(2, 3))
        _ = try replica.received(.changed(4, edit(0, 0, "123")))
        _ = replica.undo()
        #expect(replica.text.string == "123mine")
        _ = replica.undo()
        #expect(replica.text.string == "123")
    }

    @Test("an undo step without an effect is skipped")
    func removed() throws {
        var replica = try opened("ab")
        _ = try replica.typed(SampleChange.change([edit(0, 1, "")]))
        _ = try replica.received(.acked(1, 2))
        _ = try replica.typed(SampleChange.change([edit(1, 1, "x")]))
        _ = try replica.received(.acked(2, 3))
        _ = try replica.received(.changed(4, edit(1, 2, "")))
        #expect(replica.text.string == "b")
        _ = replica.undo()
        #expect(replica.text.string == "ab")
    }

    @Test("typing after an undo clears the redo steps")
    func redoEnds() throws {
        var replica = try opened("")
        try typing("a", at: 0, after: 100, in: &replica)
        _ = replica.undo()
        try typing("b", at: 0, after: 100, in: &replica)
        #expect(!replica.canRedo && replica.redo() == [])
    }

    @Test("typing after an undo or a redo starts a new undo step")
    func typingAfterUndo() throws {
        for isRedone in [false, true] {
            var replica = try opened("x")
            try typing("a", at: 0, after: 100, in: &replica)
            _ = replica.undo()
            if isRedone { _ = replica.redo() }
            let text = replica.text
            // This letter is typed at offset 1, where the typing before the undo ended.
            try typing("b", at: 1, after: 100, in: &replica)
            _ = replica.undo()
            #expect(replica.text == text && replica.canUndo == isRedone)
        }
    }

    @Test("a change without edits is no undo step, and keeps the redo steps")
    func emptyChange() throws {
        var replica = try opened("")
        try typing("a", at: 0, after: 100, in: &replica)
        _ = replica.undo()
        _ = try replica.typed(Change())
        #expect(!replica.canUndo && replica.canRedo)
    }

    @Test("an undo is pushed like any change")
    func saved() throws {
        var replica = try opened("")
        _ = try replica.typed(SampleChange.change([edit(0, 0, "a")]))
        _ = try replica.received(.acked(1, 2))
        #expect(
            replica.undo() == [.edit(edit(0, 1, "")), .push(2, base: 2, edit(0, 1, "")), .show(.sending)])
    }

    @Test("unsaved edits are available as a change to the committed text")
    func unsaved() throws {
        var talk = try Conversation.opened("ab")
        _ = try talk.type(edit(1, 1, "X"))
        _ = talk.receive(.refused(1, .tooLarge))
        _ = try talk.type(edit(0, 0, "Y"))
        #expect(talk.replica.unsaved == SampleChange.change([edit(0, 0, "Y"), edit(1, 1, "X")]))
        #expect(try talk.replica.committed.applying(talk.replica.unsaved) == talk.replica.text)
    }
}
