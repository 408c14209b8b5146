import CaretSync
import Testing

/// The rule that finds out which text a saved one was made from. The order of the arguments is that of the events: what the
/// file held before, what came into it from elsewhere, and what was saved then.
@Suite("Which text a saved one was made from") struct KnownTextsTests {
    private func base(_ older: [KnownTexts.Known], _ seen: String, _ saved: String) throws -> String {
        try KnownTexts(seen: seen, older: older).base(of: saved)
    }

    private func elsewhere(_ text: String) -> KnownTexts.Known { KnownTexts.Known(text: text, isOwn: false) }
    private func saved(_ text: String) -> KnownTexts.Known { KnownTexts.Known(text: text, isOwn: true) }

    @Test(
        "the text before a change, where the save shows nothing of the change",
        arguments: [
            // A line more at the end, by each.
            ("milk\n", "milk\nbread and butter\n", "milk\noats\n"),
            ("", "bread and butter\n", "oats\n"),
            // A line at the beginning, and one at the end.
            ("milk\n", "bread and butter\nmilk\n", "milk\noats\n"),
            // Words in one line.
            ("buy milk\n", "buy milk and eggs\n", "buy oat milk\n"),
            // A line that is gone, and is in what was saved.
            ("one\ntwo\nthree\n", "one\nthree\n", "one\ntwo\nthree\nfour\n"),
            // Lines that begin alike.
            ("", "- [ ] call the plumber\n", "- [ ] water the plants\n"),
            // A word that was replaced.
            ("the red door\n", "the green door\n", "the red door is open\n"),
        ])
    func unseen(before: String, after: String, save: String) throws {
        #expect(try base([elsewhere(before)], after, save) == before)
    }

    @Test(
        "the newest text, where the save shows something of the change",
        arguments: [
            ("milk\n", "milk\nbread and butter\n", "milk\nbread and butter\noats\n"),
            // A slip is mended in the line that came.
            ("milk\n", "milk\nbread and buter\n", "milk\nbread and butter\n"),
            // One of the lines that came is deleted on purpose, and one added.
            ("milk\n", "milk\nbread and butter\napples and pears\n", "milk\napples and pears\noats\n"),
            ("buy milk\n", "buy milk and eggs\n", "buy oat milk and eggs\n"),
            // The line is gone in both.
            ("one\ntwo\nthree\n", "one\nthree\n", "one\nthree\nfour\n"),
            // The word that came is replaced again: nothing tells whether it was read.
            ("the cat sat\n", "the dog sat\n", "the cow sat\n"),
        ])
    func seen(before: String, after: String, save: String) throws {
        #expect(try base([elsewhere(before)], after, save) == after)
    }

    @Test("a save that is exactly an older text takes the change back on purpose")
    func takenBack() throws {
        #expect(try base([elsewhere("milk\n")], "milk\noats\n", "milk\n") == "milk\noats\n")
        let older = [elsewhere("a\n"), elsewhere("a\nthe second line\n")]
        let seen = "a\nthe second line\nthe third line\n"
        for save in ["a\n", "a\nthe second line\n"] { #expect(try base(older, seen, save) == seen) }
    }

    @Test("of several older texts the one that is nearest to the save")
    func nearest() throws {
        let older = [elsewhere("a\n"), elsewhere("a\nthe second line\n")]
        let seen = "a\nthe second line\nthe third line\n"
        #expect(try base(older, seen, "my own\na\n") == "a\n")
        #expect(try base(older, seen, "my own\na\nthe second line\n") == "a\nthe second line\n")
        #expect(try base(older, seen, "my own\na\nthe second line\nthe third line\n") == seen)
    }

    @Test("an editor that has saved once and goes on with its own text is still without the change")
    func ownChain() throws {
        let older = [elsewhere("a\n"), saved("a\nmine, the first\n")]
        let seen = "a\nfrom elsewhere, a line\nmine, the first\n"
        #expect(try base(older, seen, "a\nmine, the first\nmine, the second\n") == "a\nmine, the first\n")
        // It undoes its own line, and does not know of the other one.
        #expect(try base(older, seen, "a\n") == "a\nmine, the first\n")
        // The next time it means it.
        let next = older + [saved("a\n")]
        #expect(try base(next, "a\nfrom elsewhere, a line\n", "a\n") == "a\nfrom elsewhere, a line\n")
    }

    @Test("texts that a change and its opposite made equal again are no reason")
    func thereAndBack() throws {
        let older = [elsewhere("a\n"), elsewhere("a\nb and more\n")]
        #expect(try base(older, "a\n", "a\nmine\n") == "a\n")
    }

    @Test("long texts with a thousand changes are compared in time that does not grow with their product")
    func manyChanges() throws {
        let old = (0..<2_000).map { "line \($0) of the text\n" }
        let new = old.enumerated().map { $0 % 2 == 0 ? $1 : "changed: \($1)" }
        let mine = old.enumerated().map { $0 % 3 == 0 ? $1 : "\($1)mine\n" }
        #expect(try base([elsewhere(old.joined())], new.joined(), mine.joined()) == old.joined())
    }
}
