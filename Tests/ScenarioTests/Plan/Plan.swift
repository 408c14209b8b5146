/// The clients of a run, and the timed steps of clients, server and store. A plan determines the whole run.
struct Plan: Equatable {
    /// The kinds of clients.
    enum Kind: String, CaseIterable {
        case editor16 = "editor-utf-16"
        case editor8 = "editor-utf-8"
        case editor32 = "editor-utf-32"
        case reader = "reader-utf-16"
        case syncer = "syncer"
        case watcher = "watcher-utf-8"
        case squashed = "squashed-utf-32"
        case admin = "admin"
        case http = "http"
    }

    /// The seed of the random delays and faults of queues, links and the store.
    var seed: UInt64
    var clients: [Kind]
    var steps: [Step]
    /// How many servers run over the store. Clients connect to any of them.
    var nodes = 1

    /// Whether the plan changes the rights of a client.
    var changesRights: Bool {
        steps.contains { step in
            switch step.operation {
            case .world(.allows), .world(.revokes): true
            case .world, .client: false
            }
        }
    }

    /// Whether several servers use the store, or another node commits pushes without notifying the server.
    var sharesStore: Bool {
        nodes > 1 || steps.contains { if case .world(.elsewhere) = $0.operation { true } else { false } }
    }

    /// Whether another node writes to the store.
    var hasOtherNode: Bool {
        steps.contains { step in
            switch step.operation {
            case .world(.elsewhere), .world(.renews): true
            case .world, .client: false
            }
        }
    }

    /// Whether the store reports a document as damaged, or may hold an older state of it.
    var damagesDocuments: Bool {
        steps.contains { step in
            switch step.operation {
            case .world(.damages), .world(.renews), .world(.putsBack), .world(.trims): true
            case .world, .client: false
            }
        }
    }

    /// The names of documents. A rename uses these names too.
    static let names = ["a", "b/1", "b/2", "c\u{E9}"]
}
