import CaretCore
import CaretLog
import CaretWire

/// Why the hub refuses a request.
struct HubRefusal: Error, Equatable {
    let code: ErrorCode
    let message: String
    var head: WirePosition?

    init(_ code: ErrorCode, _ message: String, head: WirePosition? = nil) {
        self.code = code
        self.message = message
        self.head = head
    }

    /// The same words for a document that is not there and for one that may not be seen.
    static let notFound = HubRefusal(.notFound, "there is no such document")
    static let shuttingDown = HubRefusal(.shuttingDown, "the server is shutting down")
    /// An answer of the store that is none to what was asked.
    static let confused = HubRefusal(.internal, "the store answered something else than it was asked")

    init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged:
            self.init(.damaged, "the document is damaged, and closed until it is sound again")
        case .full: self.init(.storageFull, "the disk is full; nothing was saved")
        case .failed: self.init(.storageFailed, "the disk failed; nothing was saved or read")
        }
    }

    /// Of a part of a document's history; `wanted` is its name for a person.
    init(_ refusal: HistoryRefusal, _ wanted: String, of entry: DocumentEntry) {
        let epoch = entry.epoch.wire
        switch refusal {
        case .ahead(let head):
            self.init(
                .baseAhead, "\(wanted) is beyond the head \(head.value)",
                head: WirePosition(epoch: epoch, revision: head))
        case .trimmed(let start):
            self.init(
                .baseTrimmed, "\(wanted) is before revision \(start.value), where history begins",
                head: WirePosition(epoch: epoch, revision: entry.head))
        case .wrongText: self = .confused
        case .refused(let refusal): self.init(refusal)
        }
    }
}
