import CaretCore

/// Updates of a document that the reader has not received yet. The buffer keeps all edits, up to `maxEdits`.
/// For each other kind of update, it keeps only the latest update.
package struct PendingUpdates: CoalescingBuffer {
    /// How many edits may wait for the reader. If there are more, one empty edit replaces them. The reader
    /// must then read the whole text.
    package static let maxEdits = 1_000

    private var edits: [DocumentUpdate] = []
    private var peers: DocumentUpdate?
    private var state: DocumentUpdate?
    private var name: DocumentUpdate?
    private var keeping: DocumentUpdate?

    package init() {}

    package mutating func add(_ update: DocumentUpdate) {
        switch update {
        case .edited(_, let selections) where edits.count == PendingUpdates.maxEdits:
            edits = [.edited(Change(), selections: selections)]
        case .edited: edits.append(update)
        case .peers: peers = update
        case .state: state = update
        case .renamed: name = update
        case .notKept, .kept: keeping = update
        }
    }

    package mutating func drain() -> [DocumentUpdate] {
        defer { self = PendingUpdates() }
        return edits + [name, peers, state, keeping].compactMap(\.self)
    }
}
