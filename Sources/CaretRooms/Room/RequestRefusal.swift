import CaretCore
package import CaretLog
package import CaretWire

/// Why a room or the hub refuses a request.
package struct RequestRefusal: Error, Equatable {
    let code: ErrorCode
    let message: String
    /// The document's head. Nil if the code that sends the refusal adds the head itself.
    var head: WirePosition?
    /// Why, for `baseTrimmed`.
    let cause: TrimmedCause?
    /// When the client may try again, in milliseconds. Nil if the server does not know.
    let retryAfterMilliseconds: Int?

    init(
        _ code: ErrorCode, _ message: String, head: WirePosition? = nil, cause: TrimmedCause? = nil,
        retryAfterMilliseconds: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.head = head
        self.cause = cause
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// The error for a store's refusal of a document.
    package init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged:
            self.init(.damaged, "the document is damaged, and closed until it is repaired")
        case .full: self.init(.storageFull, "the disk is full; nothing was saved")
        case .failed: self.init(.storageFailed, "the disk failed; nothing was saved or read")
        case .away:
            self.init(
                .storageFailed, "the store cannot be reached; nothing was saved or read; try again",
                retryAfterMilliseconds: RequestRefusal.retryWhenAway)
        }
    }

    /// The error for a failed read of a document's history. `requested` says what was requested, for the
    /// message.
    init(_ refusal: HistoryRefusal, _ requested: String) {
        switch refusal {
        case .ahead(let head): self = .ahead(requested, of: head)
        case .trimmed(let start): self = .trimmed(requested, start)
        case .wrongText: self.init(.damaged)
        case .refused(let refusal): self.init(refusal)
        }
    }

    /// The error for a failed read by the hub, which takes the head from the document's entry.
    init(_ refusal: HistoryRefusal, _ requested: String, of entry: DocumentEntry) {
        self.init(refusal, requested)
        switch refusal {
        case .ahead(let head): self.head = WirePosition(epoch: entry.epoch.wire, revision: head)
        case .trimmed: head = WirePosition(epoch: entry.epoch.wire, revision: entry.head)
        case .wrongText: self = .unexpectedAnswer
        case .refused: break
        }
    }

    /// When a client may try again while the store cannot be reached: often enough to notice soon that the
    /// store is back.
    static let retryWhenAway = 1_000

    /// The same words for a missing document and for one that the client may not see.
    static let notFound = RequestRefusal(.notFound, "there is no such document")
    static let notOpen = RequestRefusal(
        .notOpen, "this connection does not have the document open")
    static let notAdmin = RequestRefusal(
        .forbidden, "this request needs the right to administer all documents")
    static let shuttingDown = RequestRefusal(.shuttingDown, "the server is shutting down")
    static let unreadable = RequestRefusal(
        .overloaded, "your earlier pushes could not be looked up; try again later")
    package static let noMemoryForAnswer = RequestRefusal(
        .overloaded, "the server has no memory left for another long answer; try again later")
    /// The store's answer does not fit the call.
    static let unexpectedAnswer = RequestRefusal(.internal, "the store's answer does not fit the call")

    /// The refusal of an exact push, after other changes were committed.
    static func behind(_ base: Revision, _ head: Revision) -> RequestRefusal {
        RequestRefusal(
            .baseBehind, "base \(base.value) is not the head \(head.value), and the push must be exact")
    }

    /// The refusal of a redaction whose search would take too long.
    static let tooFrequentPassage = RequestRefusal(
        .tooLarge, "the passage occurs too often in too many revisions; give a longer passage")

    static func ahead(_ requested: String, of head: Revision) -> RequestRefusal {
        RequestRefusal(.baseAhead, "\(requested) is beyond the head \(head.value)")
    }

    static func tooLarge(_ bytes: Int, allowed: Int) -> RequestRefusal {
        RequestRefusal(
            .tooLarge, "the document would have \(bytes) bytes; at most \(allowed) are allowed")
    }

    static func trimmed(_ requested: String, _ start: Revision) -> RequestRefusal {
        RequestRefusal(
            .baseTrimmed, "\(requested) is before revision \(start.value), where history begins",
            cause: .trimmed)
    }
}

extension ErrorReport {
    /// The answer to a refused request.
    package init(
        _ refusal: RequestRefusal, document: WireString?, seq: PushNumber? = nil, head: WirePosition? = nil
    ) {
        self.init(
            refusal.code, refusal.message, document: document, seq: seq, head: head, cause: refusal.cause,
            retryAfterMilliseconds: refusal.retryAfterMilliseconds)
    }
}
