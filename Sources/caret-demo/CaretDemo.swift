import CaretCore
import Glibc

/// Shows carets being kept: one person has a selection and a caret, others push whole texts.
@main struct CaretDemo {
    static func main() {
        do {
            try Demo(isTerminal: isatty(STDOUT_FILENO) == 1).run()
        } catch {
            preconditionFailure("the demonstration's own texts do not fit each other: \(error)")
        }
    }
}

/// One document, one reader's selection, and a list of pushes by others.
struct Demo {
    let isTerminal: Bool

    private let start = "Watch Bugger attack videos together and discuss strategy."
    private let pushes: [(who: String, what: String, text: String)] = [
        ("Bob", "puts a word in front", "Watch the Bugger attack videos together and discuss strategy."),
        ("Eve", "appends", "Watch the Bugger attack videos together and discuss strategy. Bring tea."),
        (
            "Bob", "changes two places at once",
            "See the Bugger attack videos together, then discuss strategy. Bring tea."
        ),
        (
            "Eve", "types inside Ann's selection",
            "See the Big Bugger attack videos together, then discuss strategy. Bring tea."
        ),
        (
            "Bob", "adds an emoji",
            "👍🏽 See the Big Bugger attack videos together, then discuss strategy. Bring tea."
        ),
        (
            "Eve", "removes the selected words",
            "👍🏽 See the attack videos together, then discuss strategy. Bring tea."
        ),
    ]

    func run() throws {
        var text = try Text(start)
        var selection = Selection(anchor: 6, head: 12)
        var caret = Selection(caret: 47)
        print(
            "Ann has selected “Bugger”, and Tom's caret stands before “strategy”. Others push whole texts.\n")
        show(text, selection, caret, "revision 0")
        for (index, push) in pushes.enumerated() {
            let new = try Text(push.text)
            let change = diff(from: text, to: new)
            try text.apply(change)
            selection = selection.mapped(through: change)
            caret = caret.mapped(through: change)
            pause()
            let edits = change.edits.map { describe($0) }.joined(separator: ", ")
            show(text, selection, caret, "revision \(index + 1): \(push.who) \(push.what): \(edits)")
        }
        print("Nobody told the carets where to go: every client moves them by the change alone.")
    }

    private func describe(_ edit: Edit) -> String {
        "\(edit.range.lowerBound.value)..<\(edit.range.upperBound.value) “\(edit.text)”"
    }

    private func show(_ text: Text, _ selection: Selection, _ caret: Selection, _ title: String) {
        print(styled(title, "2"))
        print("  " + marked(text, selection, caret) + "\n")
    }

    /// The text with the selection in brackets and the caret as a bar; in colour on a terminal.
    private func marked(_ text: Text, _ selection: Selection, _ caret: Selection) -> String {
        var line = ""
        var offset: Offset = 0
        for scalar in text.string.unicodeScalars {
            line += mark(at: offset, selection, caret)
            line.unicodeScalars.append(scalar)
            offset = offset + (scalar.value > 0xFFFF ? 2 : 1)
        }
        return line + mark(at: offset, selection, caret)
    }

    private func mark(at offset: Offset, _ selection: Selection, _ caret: Selection) -> String {
        var mark = ""
        if offset == selection.start { mark += isTerminal ? "\u{1B}[30;43m" : "[" }
        if offset == selection.end { mark += isTerminal ? "\u{1B}[0m" : "]" }
        if offset == caret.head { mark += styled("|", "1;36") }
        return mark
    }

    private func styled(_ string: String, _ style: String) -> String {
        isTerminal ? "\u{1B}[\(style)m\(string)\u{1B}[0m" : string
    }

    /// Slow enough to follow by eye, and instant where nobody looks.
    private func pause() {
        if isTerminal { poll(nil, 0, 1200) }
    }
}
