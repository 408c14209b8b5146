package import CaretCore

/// The number of a note in its document: 1, 2, 3 … A number is never used twice.
package struct NoteNumber: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: NoteNumber, right: NoteNumber) -> Bool { left.value < right.value }
}

/// A note on words of a document, an answer to a note, or a suggestion.
package struct Note: Equatable, Sendable {
    package enum State: Int64, CaseIterable, Sendable {
        case open = 0
        case resolved = 1
        /// A suggestion that was committed. It is final, like `rejected`.
        case accepted = 2
        case rejected = 3
    }

    package let number: NoteNumber
    /// Rises by one with each change of the note, except with moves of its place.
    package var version: Int64
    /// The note counter of the document after this version was written.
    package var counter: Int64
    package var content: NoteContent
    package var state: State
    /// When its text or its suggestion was changed last. Nil if never.
    package var edited: Int64?
    /// How many bytes it counts towards the limit of its document. A move of its place does not change this.
    package var weight: Int

    package init(
        number: NoteNumber, version: Int64 = 1, counter: Int64, _ content: NoteContent, state: State = .open,
        edited: Int64? = nil, weight: Int? = nil
    ) {
        self.number = number
        self.version = version
        self.counter = counter
        self.content = content
        self.state = state
        self.edited = edited
        self.weight = weight ?? content.weight
    }

    package var isFinal: Bool { state == .accepted || state == .rejected }

    /// The revision that an accepted suggestion became. Nil if it changed nothing.
    package var acceptedAs: Revision? { state == .accepted ? content.place?.revision : nil }

    /// The place of an open or resolved note, which moves with the text: a resolved note may be opened again.
    package var movingPlace: NotePlace? { isFinal ? nil : content.place }
}

/// What somebody writes in a note.
package struct NoteContent: Equatable, Sendable {
    /// The note that it answers. Nil if it begins a thread.
    package let parent: NoteNumber?
    package let user: ByteString
    /// When it was written, in milliseconds since 1970.
    package let time: Int64
    package var text: ByteString
    /// The words of the place when the note was written.
    package var quote: ByteString
    /// Nil if the note is about the whole document, or is an answer.
    package var place: NotePlace?
    /// An id that the client has given the request, so that a repeat writes no second note. Empty if it has none.
    package var request: ByteString

    package init(
        parent: NoteNumber? = nil, user: ByteString, time: Int64, text: ByteString, quote: ByteString = "",
        place: NotePlace? = nil, request: ByteString = ""
    ) {
        self.parent = parent
        self.user = user
        self.time = time
        self.text = text
        self.quote = quote
        self.place = place
        self.request = request
    }

    /// How many bytes it has, and about how many its place takes.
    package var weight: Int { text.utf8.count + quote.utf8.count + (place?.weight ?? 0) }
}

/// Where a note stands in the text of a revision, and what it suggests there.
package struct NotePlace: Equatable, Sendable {
    package private(set) var revision: Revision
    /// The words, from the anchor to the head. Empty if they were deleted.
    package private(set) var words: Selection
    /// The change that the author suggests. Nil if the note suggests nothing.
    package private(set) var suggestion: Change?

    package init(at revision: Revision, _ words: Selection, suggesting suggestion: Change? = nil) {
        self.revision = revision
        self.words = words
        self.suggestion = suggestion
    }

    /// Moves the place to the next revision, which this change has made. The words move like a selection, and the
    /// suggestion is rebased like a push that waits.
    package mutating func move(through change: Change) {
        revision = revision.next
        words = words.mapped(through: change)
        suggestion = suggestion.map { $0.rebased(over: change, tie: .otherFirst) }
    }

    fileprivate var weight: Int { suggestion?.edits.reduce(0) { $0 + 16 + $1.inserted.utf8 } ?? 0 }
}

extension [Note] {
    /// Moves the places of notes through the changes after `revision`, in order. A place in a later text is moved from its
    /// revision on.
    package mutating func move(
        through changes: some Sequence<LoggedChange>, after revision: Revision
    ) throws(ChangeError) {
        var later = indices.compactMap { index in
            self[index].movingPlace.map { (index: index, revision: $0.revision) }
        }.sorted { $0.revision < $1.revision }[...]
        var (reached, moving) = (revision, [Int]())
        for logged in changes {
            let change = try logged.change
            while let next = later.first, next.revision <= reached {
                moving.append(next.index)
                later.removeFirst()
            }
            for index in moving { self[index].content.place?.move(through: change) }
            reached = reached.next
        }
    }

    /// The oldest revision in which an open or resolved note has its place. Nil if none has a place.
    package var oldestPlace: Revision? {
        lazy.compactMap { $0.movingPlace?.revision }.min()
    }
}

// Removing a passage.
extension Passage {
    /// The text without the passage. Nil if it does not contain it.
    func masking(_ text: String) -> String? {
        let found = matches(in: Array(text.utf8))
        if found.isEmpty { return nil }
        var ranges: [Range<Int>] = []
        for start in found { PassageOrigins.join(start..<start + bytes.count, to: &ranges) }
        return masking(ranges, of: text)
    }
}

extension NoteContent {
    /// The content without a passage. Nil if it does not contain it.
    package func redacted(_ passage: Passage) -> NoteContent? {
        var new = self
        new.text = passage.masking(text.string).map { ByteString($0) } ?? text
        new.quote = passage.masking(quote.string).map { ByteString($0) } ?? quote
        if let place, let suggestion = place.suggestion {
            new.place = NotePlace(
                at: place.revision, place.words, suggesting: suggestion.redacted(passage))
        }
        return new == self ? nil : new
    }
}

extension Change {
    fileprivate func redacted(_ passage: Passage) -> Change {
        do {
            return try Change(
                edits.map { edit in try passage.masking(edit.text).map { try Edit(edit.range, $0) } ?? edit })
        } catch {
            preconditionFailure("a masked text does not fit where the text did: \(error)")
        }
    }
}
