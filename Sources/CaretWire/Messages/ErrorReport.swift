import CaretCore

extension ErrorReport {
    /// An error that this server sends. `head` is the document's head, if the base of a push cannot be used.
    package init(
        _ code: ErrorCode, _ message: String, document: WireString? = nil, seq: PushNumber? = nil,
        head: WirePosition? = nil, cause: TrimmedCause? = nil, retryAfterMilliseconds: Int? = nil
    ) {
        self.init(
            document: document, seq: seq, code: code, message: WireString(message), epoch: head?.epoch,
            revision: head?.revision, cause: cause, retryAfterMilliseconds: retryAfterMilliseconds)
    }

    /// Makes an error with a code that is not in `ErrorCode`, for an answer over HTTP.
    package init(unlisted code: String, _ message: String) {
        self.init(.internal, message)
        self.code = .unknown(WireString(code))
    }

    /// The document's head, if the base of a push cannot be used.
    package var head: WirePosition? {
        guard let epoch, let revision else { return nil }
        return WirePosition(epoch: epoch, revision: revision)
    }
}
