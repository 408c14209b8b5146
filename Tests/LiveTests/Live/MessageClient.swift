import Testing

/// A client that sends and receives messages of the protocol. Its calls block.
protocol MessageClient {
    func send(_ message: String) throws
    /// The next message; nil at the end of the connection.
    func next() throws -> String?
    /// Ends the output of the client. The client can still receive.
    func endOutput() throws
}

extension MessageClient {
    /// Expects that the next message matches the pattern. `…` matches anything.
    func expect(_ pattern: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let message = try next()
        let isExpected = message.map { Pattern(pattern).matches($0) != nil } ?? false
        try #require(
            isExpected, "expected \(pattern.shortened), received \((message ?? "the end").shortened)",
            sourceLocation: sourceLocation)
    }

    /// Expects the end of the connection.
    func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let message = try next()
        try #require(message == nil, sourceLocation: sourceLocation)
    }

    /// Sends a hello and waits for the welcome.
    func greet(as client: String) throws {
        try send(#"{"type":"hello","protocol":1,"client":"\#(client)"}"#)
        try expect(#"{"type":"welcome",…"#)
    }
}

extension String {
    /// This text, shortened for the message of a failed test.
    var shortened: String { utf8.count > 500 ? prefix(500) + "…" : self }
}
