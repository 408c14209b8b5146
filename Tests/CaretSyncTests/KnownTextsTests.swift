import CaretSync
import Testing

/// The arguments are in the order of the events: the text before a change from elsewhere, the text after the
/// change, and the saved text.
@Suite("Which earlier text an editor's save was made from") struct KnownTextsTests {
    private func base(_ older: [KnownTexts.Known], _ seen: String, _ saved: String) throws -> String {
        try KnownTexts(seen: seen, older: older).base(of: saved)
    }

    private func elsewhere(_ text: String) -> KnownTexts.Known { KnownTexts.Known(text: text, isOwn: false) }
    private func saved(_ text: String) -> KnownTexts.Known { KnownTexts.Known(text: text, isOwn: true) }

    /// A line of 100 digits: the numbers from 10 to 59.
    private static let line = (10..<60).map { "\($0)" }.joined()

    @Test(
        "if a save lacks a change, its base is the text before that change",
        arguments: [
            // The change and the save both add a line at the end.
            ("milk\n", "milk\nbread and butter\n", "milk\noats\n"),
            ("", "bread and butter\n", "oats\n"),
            // The change adds a line at the beginning, and the save adds a line at the end.
            ("milk\n", "bread and butter\nmilk\n", "milk\noats\n"),
            // The change and the save both add words in one line.
            ("buy milk\n", "buy milk and eggs\n", "buy oat milk\n"),
            // The change removed a line that the save still has.
            ("one\ntwo\nthree\n", "one\nthree\n", "one\ntwo\nthree\nfour\n"),
            // The change and the save both add a line, and both lines begin with the same letters.
            ("", "- [ ] call the plumber\n", "- [ ] water the plants\n"),
            // The change replaced a word.
            ("the red door\n", "the green door\n", "the red door is open\n"),
            // The save has 31 characters of the new line.
            ("a\n", "a\n\(line)\n", "a\n\(line.prefix(31))\n"),
            // The save has a new line of seven characters.
            ("a\n", "a\n1234567\nthe other line that is long\n", "a\n1234567\nmine\n"),
            // The save has half of the new word.
            ("one two three\n2\n", "one twowxyz three\n2\n", "one twowx three\n2m\n"),
            // The save has the whole word that the change removed.
            ("one twoabcd three\n2\n", "one two three\n2\n", "one twoabcd three\n2m\n"),
        ])
    func unseen(before: String, after: String, save: String) throws {
        #expect(try base([elsewhere(before)], after, save) == before)
    }

    @Test(
        "if a save has a part of a change, its base is the newest text",
        arguments: [
            ("milk\n", "milk\nbread and butter\n", "milk\nbread and butter\noats\n"),
            // The save corrects a typo in the new line.
            ("milk\n", "milk\nbread and buter\n", "milk\nbread and butter\n"),
            // The save deletes one of the new lines on purpose, and adds one.
            ("milk\n", "milk\nbread and butter\napples and pears\n", "milk\napples and pears\noats\n"),
            ("buy milk\n", "buy milk and eggs\n", "buy oat milk and eggs\n"),
            // The removed line is missing in the save too.
            ("one\ntwo\nthree\n", "one\nthree\n", "one\nthree\nfour\n"),
            // The save replaces the new word again. The texts do not show whether the editor had read the new
            // word.
            ("the cat sat\n", "the dog sat\n", "the cow sat\n"),
            // The save has 32 characters of the new line.
            ("a\n", "a\n\(line)\n", "a\n\(line.prefix(32))\n"),
            // The save has a new line of eight characters.
            ("a\n", "a\n12345678\nthe other line that is long\n", "a\n12345678\nmine\n"),
            // The save has three quarters of the new word.
            ("one two three\n2\n", "one twowxyz three\n2\n", "one twowxy three\n2m\n"),
            // The save lacks a quarter of the word that the change removed.
            ("one twoabcd three\n2\n", "one two three\n2\n", "one twoabc three\n2m\n"),
        ])
    func seen(before: String, after: String, save: String) throws {
        #expect(try base([elsewhere(before)], after, save) == after)
    }

    @Test("a save that equals an older text is meant to undo the later change")
    func takenBack() throws {
        #expect(try base([elsewhere("milk\n")], "milk\noats\n", "milk\n") == "milk\noats\n")
        let older = [elsewhere("a\n"), elsewhere("a\nthe second line\n")]
        let seen = "a\nthe second line\nthe third line\n"
        for save in ["a\n", "a\nthe second line\n"] { #expect(try base(older, seen, save) == seen) }
    }

    @Test("the base is the older text that is most similar to the save")
    func nearest() throws {
        let older = [elsewhere("a\n"), elsewhere("a\nthe second line\n")]
        let seen = "a\nthe second line\nthe third line\n"
        #expect(try base(older, seen, "my own\na\n") == "a\n")
        #expect(try base(older, seen, "my own\na\nthe second line\n") == "a\nthe second line\n")
        #expect(try base(older, seen, "my own\na\nthe second line\nthe third line\n") == seen)
    }

    @Test("the base of a second save without a read is the editor's first save")
    func ownChain() throws {
        let older = [elsewhere("a\n"), saved("a\nmine, the first\n")]
        let seen = "a\nfrom elsewhere, a line\nmine, the first\n"
        #expect(try base(older, seen, "a\nmine, the first\nmine, the second\n") == "a\nmine, the first\n")
        // The editor undoes its own line, and has not read the line from elsewhere.
        #expect(try base(older, seen, "a\n") == "a\nmine, the first\n")
        // The second save of the same text removes the line from elsewhere on purpose.
        let next = older + [saved("a\n")]
        #expect(try base(next, "a\nfrom elsewhere, a line\n", "a\n") == "a\nfrom elsewhere, a line\n")
    }

    @Test("a save over a text of the sync is the base, unless the editor had not read that text")
    func savedOver() throws {
        let older = [saved("Dear Ann"), elsewhere("Dear Ann and Bob")]
        func base(_ seen: String, _ save: String) throws -> String {
            try KnownTexts(seen: seen, isSeenOwn: true, older: older).base(of: save)
        }
        let seen = "Dear Ann and Bob and Cyd"
        for save in ["Dear Ann and Bob", "Dear Ann and Bob.", "Dear Ann and Bob and Dan"] {
            #expect(try base(seen, save) == seen)
        }
        #expect(try base(seen, "Dear Ann, my friend") == "Dear Ann")
        // The words from elsewhere were removed on purpose.
        #expect(
            try base("Dear Ann, hello world and you", "Dear Ann, hello") == "Dear Ann, hello world and you")
    }

    @Test("a change that was reverted does not affect the choice of the base")
    func thereAndBack() throws {
        let older = [elsewhere("a\n"), elsewhere("a\nb and more\n")]
        #expect(try base(older, "a\n", "a\nmine\n") == "a\n")
    }

    @Test("long texts with a thousand changes are compared quickly")
    func manyChanges() throws {
        let old = (0..<2_000).map { "line \($0) of the text\n" }
        let new = old.enumerated().map { $0 % 2 == 0 ? $1 : "changed: \($1)" }
        let mine = old.enumerated().map { $0 % 3 == 0 ? $1 : "\($1)mine\n" }
        #expect(try base([elsewhere(old.joined())], new.joined(), mine.joined()) == old.joined())
    }
}
