import CaretClient
import CaretCore

/// One of the people of `caret demo`, who types phrases and takes them back.
struct DemoPerson {
    private let document: LiveDocument
    private let phrases: [String]

    private static let rounds = 12
    private static let (lineFeed, space): (UInt16, UInt16) = (0x0A, 0x20)

    init(in document: LiveDocument, _ phrases: [String]) {
        self.document = document
        self.phrases = phrases
    }

    /// Types each phrase several times, for about ten minutes in all, so that the history does not grow for ever.
    func write() async throws {
        // Only somebody with a caret is seen by the others.
        try select(document.text.end...document.text.end)
        for _ in 0..<DemoPerson.rounds {
            for phrase in phrases.shuffled() {
                try await look()
                try await type(phrase)
                try await takeBack()
            }
        }
    }

    /// Where the caret is now. The client moves it with the text, so no offset is kept over a pause.
    private var caret: Offset { document.selections.first?.head ?? document.text.end }

    private var text: [UInt16] { Array(document.text.string.utf16) }

    /// Moves the caret to the end of a line, and selects the last word there, as a reader does.
    private func look() async throws {
        let text = text
        let ends = text.indices.filter { text[$0] == DemoPerson.lineFeed } + [text.count]
        let taken = document.peers.flatMap(\.selections).map(\.head.value)
        let end = Offset(ends.filter { !taken.contains($0) }.randomElement() ?? text.count)
        try select(end...end)
        try await pause(800...2_000)
        try select(startOfWord(before: caret)...caret)
        try await pause(600...1_500)
        try select(caret...caret)
    }

    private func startOfWord(before end: Offset) -> Offset {
        let before = text.prefix(end.value).reversed()
        let word = before.prefix { ![DemoPerson.lineFeed, DemoPerson.space].contains($0) }
        return Offset(end.value - word.count)
    }

    /// Types a phrase, unless somebody has typed after the caret meanwhile: it would be in their words.
    private func type(_ phrase: String) async throws {
        guard [nil, DemoPerson.lineFeed].contains(text.dropFirst(caret.value).first) else { return }
        for character in phrase {
            let caret = caret
            try document.replace(caret..<caret, with: String(character))
            let next = caret + character.utf16.count
            try select(next...next)
            try await pause(40...180)
        }
        try await pause(2_500...5_000)
    }

    /// Undoes everything that this person has typed.
    private func takeBack() async throws {
        while document.canUndo {
            document.undo()
            try await pause(300...600)
        }
        do {
            try await document.saved()
        } catch is RefusedEdits {
            throw Failure(gone: document.name)
        }
    }

    private func select(_ range: ClosedRange<Offset>) throws {
        let end = document.text.end
        let (anchor, head) = (min(range.lowerBound, end), min(range.upperBound, end))
        try document.select([Selection(anchor: anchor, head: head)])
    }

    private func pause(_ milliseconds: ClosedRange<Int>) async throws {
        try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds)))
    }
}
