import CaretCore
import CaretLog
import CaretWire

/// Why a room does not do what it is asked.
struct RoomRefusal: Error, Equatable {
    let code: ErrorCode
    let message: String

    init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a store's refusal of a document is on the wire.
    init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged:
            self.init(.damaged, "the document is damaged, and closed until it is sound again")
        case .full: self.init(.storageFull, "the disk is full; nothing was saved")
        case .failed: self.init(.storageFailed, "the disk failed; nothing was saved")
        }
    }

    /// Of a part of its history; `what` it was that was wanted.
    init(_ refusal: HistoryRefusal, _ what: String) {
        switch refusal {
        case .ahead(let head): self.init(.baseAhead, "\(what) is beyond the head \(head.value)")
        case .trimmed(let start): self = .trimmed(what, start)
        case .wrongText: self.init(.damaged)
        case .refused(let refusal): self.init(refusal)
        }
    }

    static let notFound = RoomRefusal(.notFound, "there is no such document")
    static let unreadable = RoomRefusal(
        .overloaded, "what was pushed before could not be looked up; try again later")
    static let notOpen = RoomRefusal(.notOpen, "the document is not open here")

    static func trimmed(_ what: String, _ start: Revision) -> RoomRefusal {
        RoomRefusal(.baseTrimmed, "\(what) is before \(start.value), where history begins")
    }
}
