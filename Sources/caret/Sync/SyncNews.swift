import CaretClient
import CaretCore
import CaretWire

/// Which documents there are, as far as the server has told.
struct SyncNews: Equatable, Sendable {
    struct Stand: Equatable, Sendable {
        var epoch: String
        var revision: Int
    }

    private(set) var documents: [WireString: Stand] = [:]
    /// All have been told once.
    private(set) var isComplete = false
    /// What is told anew, until it is whole: what was told before is no worse than half of it.
    private var building: [WireString: Stand]?

    mutating func hear(_ news: DocumentNews) {
        switch news {
        case .beginning: building = [:]
        case .document(let summary):
            set(
                summary.document,
                Stand(epoch: summary.epoch.string, revision: summary.revision.value))
        case .gone(let gone): set(gone.document, nil)
        case .complete:
            documents = building ?? documents
            (building, isComplete) = (nil, true)
        }
    }

    /// Whether any of the documents that were synced is there, under whatever name.
    func haveAny(of records: [WireString: SyncRecord], _ names: SyncNames) -> Bool {
        let epochs = Set(documents.values.map { WireString($0.epoch) })
        return records.contains { path, record in
            let isNamed = names.document(of: path).map { documents[$0] != nil } ?? false
            return isNamed || record.head.map { epochs.contains(WireString($0.epoch)) } ?? false
        }
    }

    /// What was found out otherwise.
    mutating func set(_ document: WireString, _ stand: Stand?) {
        documents[document] = stand
        if building != nil { building?[document] = stand }
    }
}
