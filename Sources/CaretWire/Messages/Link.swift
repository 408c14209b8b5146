/// Checks whether the other side still answers.
package struct Ping: WireMessage {
    package static var type: StaticString { "ping" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// The answer to `ping`.
package struct Pong: WireMessage {
    package static var type: StaticString { "pong" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Announces that the server will close the connection.
package struct Bye: WireMessage {
    package static var type: StaticString { "bye" }

    package var reason: OpenWord<ByeReason>
    package var retryAfterMilliseconds: Int?

    package init(reason: ByeReason, retryAfterMilliseconds: Int? = nil) {
        self.reason = .known(reason)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    init(_ fields: Fields) throws(FieldFault) {
        reason = try fields.openWord("reason")
        retryAfterMilliseconds = try fields.integer(optional: "retry_after_ms")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("reason", reason)
        writer.member("retry_after_ms", retryAfterMilliseconds)
    }
}
