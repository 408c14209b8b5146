import CaretCore

/// Updates of a document that nobody has taken yet: of peers and states only the latest waits.
struct PendingUpdates: Pending {
    /// Edits that wait. In place of more comes one without a change, for whoever is so far behind looks at the text.
    private static let mostEdits = 1_000

    private var edits: [DocumentUpdate] = []
    private var peers: DocumentUpdate?
    private var state: DocumentUpdate?
    private var name: DocumentUpdate?
    private var fault: DocumentUpdate?

    var isEmpty: Bool { edits.isEmpty && peers == nil && state == nil && name == nil && fault == nil }

    mutating func add(_ update: DocumentUpdate) {
        switch update {
        case .edited(_, let selections) where edits.count == PendingUpdates.mostEdits:
            edits = [.edited(Change(), selections: selections)]
        case .edited: edits.append(update)
        case .peers: peers = update
        case .state: state = update
        case .renamed: name = update
        case .notKept: fault = update
        }
    }

    mutating func take() -> [DocumentUpdate] {
        defer { self = PendingUpdates() }
        return edits + [name, peers, state, fault].compactMap(\.self)
    }
}
