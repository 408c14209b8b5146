import CaretCore

/// Reports that the server refused a client's message.
package struct ErrorReport: WireMessage {
    package static var type: StaticString { "error" }

    /// A client treats an unknown code as a refusal after which the connection stays open.
    package var code: OpenWord<ErrorCode>
    /// What is wrong, as a text for people.
    package var message: WireString
    package var document: WireString?
    package var seq: PushNumber?
    /// The document's head. The server sends the head if the base of a push cannot be used.
    package var head: WirePosition?
    /// Why a base cannot be used, with `base_trimmed`.
    package var cause: OpenWord<TrimmedCause>?
    package var retryAfterMilliseconds: Int?

    package init(
        _ code: ErrorCode, _ message: String, document: WireString? = nil, seq: PushNumber? = nil,
        head: WirePosition? = nil, cause: TrimmedCause? = nil, retryAfterMilliseconds: Int? = nil
    ) {
        self.code = .known(code)
        self.message = WireString(message)
        self.document = document
        self.seq = seq
        self.head = head
        self.cause = cause.map { .known($0) }
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// Makes an error with a code that is not in `ErrorCode`, for an answer over HTTP.
    package init(unlisted code: String, _ message: String) {
        self.code = .unknown(WireString(code))
        self.message = WireString(message)
    }

    init(_ fields: Fields) throws(FieldFault) {
        code = try fields.openWord("code")
        message = try fields.string("message")
        document = try fields.string(optional: "doc")
        seq = try fields.integer(optional: "seq").map { PushNumber($0) }
        let (epoch, revision) = (try fields.string(optional: "epoch"), try fields.revision(optional: "rev"))
        if let epoch, let revision { head = WirePosition(epoch: epoch, revision: revision) }
        cause = fields.value(optional: "cause") == nil ? nil : try fields.openWord("cause")
        retryAfterMilliseconds = try fields.integer(optional: "retry_after_ms")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("seq", seq.map { Int($0) })
        writer.member("code", code)
        writer.member("message", message)
        if let head {
            writer.member("epoch", head.epoch)
            writer.member("rev", head.revision.value)
        }
        if let cause { writer.member("cause", cause) }
        writer.member("retry_after_ms", retryAfterMilliseconds)
    }
}
