package import CaretLog
package import CaretRooms

/// The texts that were read last, by name. They take a limited number of bytes: the text that was not used for
/// the longest time is dropped first.
package struct RecentTexts: Sendable {
    private struct Entry {
        var text: ReadText
        /// The neighbours in the order of use; nil at the ends.
        var newer: Int?
        var older: Int?
    }

    /// What a text takes besides its bytes: its names, and its place in the tables. Without it, very many short
    /// texts would take far more memory than the limit.
    package static let overhead = 512

    private let limit: Int
    /// The memory that all texts take.
    package private(set) var bytes = 0
    private var indexes: [DocumentName: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var newest: Int?
    private var oldest: Int?

    package init(limit: Int) { self.limit = limit }

    package var count: Int { indexes.count }

    /// The text of a document, which thereby counts as used.
    package mutating func use(_ name: DocumentName) -> ReadText? {
        guard let index = indexes[name], let entry = entries[index] else { return nil }
        if index != newest {
            unlink(index)
            link(index)
        }
        return entry.text
    }

    /// Adds a text. It replaces an older text of the same name. A text that is longer than the limit is not
    /// added.
    package mutating func add(_ text: ReadText) {
        if let index = indexes[text.name], let known = entries[index]?.text {
            if known.asOf > text.asOf { return }
            remove(index)
        }
        if text.weight > limit { return }
        while bytes + text.weight > limit, let oldest { remove(oldest) }
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(nil) }
        entries[index] = Entry(text: text)
        indexes[text.name] = index
        bytes += text.weight
        link(index)
    }

    /// Removes a text that is known to be outdated, unless a newer one has replaced it.
    package mutating func remove(_ text: ReadText) {
        guard let index = indexes[text.name], entries[index]?.text.asOf == text.asOf else { return }
        remove(index)
    }

    private mutating func remove(_ index: Int) {
        guard let text = entries[index]?.text else { return }
        unlink(index)
        entries[index] = nil
        free.append(index)
        indexes[text.name] = nil
        bytes -= text.weight
    }

    /// Makes an entry the newest one.
    private mutating func link(_ index: Int) {
        entries[index]?.older = newest
        entries[index]?.newer = nil
        if let newest { entries[newest]?.newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        guard let entry = entries[index] else { return }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
    }
}

extension ReadText {
    /// The memory that the text takes.
    package var weight: Int { utf8.count + RecentTexts.overhead }
}
