import CaretClient
import CaretCore

/// One of the people of `caret demo`, who types phrases and takes them back.
struct DemoPerson {
    private let document: LiveDocument
    /// How many people write, this one included.
    private let people: Int
    private let phrases: [String]

    private static let rounds = 12
    private static let (lineFeed, space): (UInt16, UInt16) = (0x0A, 0x20)

    init(in document: LiveDocument, among people: Int, _ phrases: [String]) {
        self.document = document
        self.people = people
        self.phrases = phrases
    }

    /// Types each phrase several times, for about ten minutes in all, so that the history does not grow for ever.
    func write() async throws {
        // Only somebody with a caret is seen by the others.
        try select(document.text.end...document.text.end)
        for _ in 0..<DemoPerson.rounds {
            for phrase in phrases.shuffled() {
                try await waitForAudience()
                try await look()
                try await type(phrase)
                try await takeBack()
            }
        }
    }

    /// Whether somebody outside of the demo has a caret in the document.
    private var isWatched: Bool { document.peers.count >= people }

    private func waitForAudience() async throws {
        let updates = document.updates
        if isWatched { return }
        for await update in updates {
            if case .state(.refused) = update { break }
            if isWatched { return }
        }
        throw Failure(gone: document.name)
    }

    /// Moves the caret to the end of a line, and selects the last word there, as a reader does.
    private func look() async throws {
        let text = Array(document.text.string.utf16)
        let ends = text.indices.filter { text[$0] == DemoPerson.lineFeed } + [text.count]
        let end = ends.randomElement() ?? 0
        let word = text[..<end].reversed().prefix { ![DemoPerson.lineFeed, DemoPerson.space].contains($0) }
        try select(Offset(end)...Offset(end))
        try await pause(800...2_000)
        try select(Offset(end - word.count)...Offset(end))
        try await pause(600...1_500)
        try select(Offset(end)...Offset(end))
    }

    private func type(_ phrase: String) async throws {
        var caret = document.selections.first?.head ?? document.text.end
        for character in phrase {
            // Others may have changed the text meanwhile, and the client has moved the caret.
            caret = min(document.selections.first?.head ?? caret, document.text.end)
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
