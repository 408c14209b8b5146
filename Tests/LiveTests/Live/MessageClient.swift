import Testing

/// A client that sends and receives messages of the protocol. Its calls block.
protocol MessageClient: AnyObject {
    /// For `poll`.
    var descriptor: Int32 { get }

    /// Sends a message, or the rest of one that `sendBeginning` began.
    func send(_ message: String) throws
    /// Sends the beginning of a message.
    func sendBeginning(of message: String) throws
    /// Writes what a client with the style `glued` has collected.
    func flush() throws
    /// The next message; nil at the end of the connection.
    func next() throws -> String?
    /// Ends the output of the client. The client can still receive.
    func endOutput() throws
    /// After the end of the connection: expects that the server has ended it as the transport demands.
    func expectOrderlyEnd() throws
}

extension MessageClient {
    /// All remaining messages, until the end of the connection.
    func remainingMessages() throws -> [String] {
        var messages: [String] = []
        while let message = try next() { messages.append(message) }
        return messages
    }

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
        try expectOrderlyEnd()
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
