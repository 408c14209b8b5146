/// Who takes part in a run, what each of them does and what befalls them: a run and nothing else follows from it.
struct Plan: Equatable {
    /// What a client is.
    enum Kind: String, CaseIterable {
        case editor16 = "editor-utf-16"
        case editor8 = "editor-utf-8"
        case editor32 = "editor-utf-32"
        case reader = "reader-utf-16"
        case syncer = "syncer"
        case watcher = "watcher-utf-8"
        case squashed = "squashed-utf-32"
        case admin = "admin"
    }

    /// What the luck of queues, links and the store follows from.
    var seed: UInt64
    var clients: [Kind]
    var steps: [Step]

    /// Somebody may do now what he might not do before.
    var changesRights: Bool {
        steps.contains { step in
            switch step.deed {
            case .world(.allows), .world(.revokes): true
            case .world, .client: false
            }
        }
    }

    /// What documents are called. Renamed ones take these names too.
    static let names = ["a", "b/1", "b/2", "c\u{E9}"]
}
