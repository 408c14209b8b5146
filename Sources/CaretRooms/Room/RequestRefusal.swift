import CaretCore
package import CaretLog
import CaretWire

/// Why a room or the hub does not do what it is asked.
package struct RequestRefusal: Error, Equatable {
    let code: ErrorCode
    let message: String
    /// Where the document's head is, where whoever refuses it does not say that by itself.
    var head: WirePosition?

    init(_ code: ErrorCode, _ message: String, head: WirePosition? = nil) {
        self.code = code
        self.message = message
        self.head = head
    }

    /// What a store's refusal of a document is on the wire.
    package init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged:
            self.init(.damaged, "the document is damaged, and closed until it is sound again")
        case .full: self.init(.storageFull, "the disk is full; nothing was saved")
        case .failed: self.init(.storageFailed, "the disk failed; nothing was saved or read")
        }
    }

    /// Of a part of a document's history; `wanted` is its name for a person.
    init(_ refusal: HistoryRefusal, _ wanted: String) {
        switch refusal {
        case .ahead(let head): self.init(.baseAhead, "\(wanted) is beyond the head \(head.value)")
        case .trimmed(let start): self = .trimmed(wanted, start)
        case .wrongText: self.init(.damaged)
        case .refused(let refusal): self.init(refusal)
        }
    }

    /// The same where no room knows the head.
    init(_ refusal: HistoryRefusal, _ wanted: String, of entry: DocumentEntry) {
        self.init(refusal, wanted)
        switch refusal {
        case .ahead(let head): self.head = WirePosition(epoch: entry.epoch.wire, revision: head)
        case .trimmed: head = WirePosition(epoch: entry.epoch.wire, revision: entry.head)
        case .wrongText: self = .confused
        case .refused: break
        }
    }

    /// The same words for a document that is not there and for one that may not be seen.
    static let notFound = RequestRefusal(.notFound, "there is no such document")
    static let notOpen = RequestRefusal(.notOpen, "the document is not open here")
    static let notAdmin = RequestRefusal(
        .forbidden, "it needs the right to administer all documents")
    static let shuttingDown = RequestRefusal(.shuttingDown, "the server is shutting down")
    static let unreadable = RequestRefusal(
        .overloaded, "what was pushed before could not be looked up; try again later")
    /// An answer of the store that is none to what was asked.
    static let confused = RequestRefusal(.internal, "the store answered something else than it was asked")

    static func trimmed(_ wanted: String, _ start: Revision) -> RequestRefusal {
        RequestRefusal(.baseTrimmed, "\(wanted) is before revision \(start.value), where history begins")
    }
}
