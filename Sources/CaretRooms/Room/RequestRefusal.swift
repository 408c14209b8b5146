import CaretCore
package import CaretLog
import CaretWire

/// Why a room or the hub refuses a request.
package struct RequestRefusal: Error, Equatable {
    let code: ErrorCode
    let message: String
    /// The document's head, if the code that sends the refusal does not add it.
    var head: WirePosition?

    init(_ code: ErrorCode, _ message: String, head: WirePosition? = nil) {
        self.code = code
        self.message = message
        self.head = head
    }

    /// The error for a store's refusal of a document.
    package init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged:
            self.init(.damaged, "the document is damaged, and closed until it is sound again")
        case .full: self.init(.storageFull, "the disk is full; nothing was saved")
        case .failed: self.init(.storageFailed, "the disk failed; nothing was saved or read")
        }
    }

    /// The error for a part of a document's history. `wanted` is its name for people.
    init(_ refusal: HistoryRefusal, _ wanted: String) {
        switch refusal {
        case .ahead(let head): self.init(.baseAhead, "\(wanted) is beyond the head \(head.value)")
        case .trimmed(let start): self = .trimmed(wanted, start)
        case .wrongText: self.init(.damaged)
        case .refused(let refusal): self.init(refusal)
        }
    }

    /// The same, if no room knows the head.
    init(_ refusal: HistoryRefusal, _ wanted: String, of entry: DocumentEntry) {
        self.init(refusal, wanted)
        switch refusal {
        case .ahead(let head): self.head = WirePosition(epoch: entry.epoch.wire, revision: head)
        case .trimmed: head = WirePosition(epoch: entry.epoch.wire, revision: entry.head)
        case .wrongText: self = .confused
        case .refused: break
        }
    }

    /// The same words for a missing document and for one that the client may not see.
    static let notFound = RequestRefusal(.notFound, "there is no such document")
    static let notOpen = RequestRefusal(.notOpen, "the document is not open here")
    static let notAdmin = RequestRefusal(
        .forbidden, "it needs the right to administer all documents")
    static let shuttingDown = RequestRefusal(.shuttingDown, "the server is shutting down")
    static let unreadable = RequestRefusal(
        .overloaded, "what was pushed before could not be looked up; try again later")
    /// The store's answer does not fit the call.
    static let confused = RequestRefusal(.internal, "the store answered something else than it was asked")

    static func trimmed(_ wanted: String, _ start: Revision) -> RequestRefusal {
        RequestRefusal(.baseTrimmed, "\(wanted) is before revision \(start.value), where history begins")
    }
}
