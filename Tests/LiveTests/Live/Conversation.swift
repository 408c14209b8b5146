import Testing

/// The messages between several clients and a server, one per line, as the protocol page writes them:
///
///     ann> {"type":"ping","id":1}           ann sends this
///     ann< {"type":"pong","id":1}           the next line that ann receives, in the notation of `Pattern`
///     ann>|                                 ann ends her output
///     ann<|                                 ann receives the end of the connection
///     # a comment
///
/// If the first message of a client is not a hello, the test sends a hello before it. At the end no client
/// may receive a line that the script does not show.
final class Conversation {
    private let server: LiveServer
    /// The transports of clients that do not use the transport of the server.
    private let transports: [String: Transport]
    private var clients: [String: any MessageClient] = [:]
    /// The clients that have ended their output.
    private var endedOutputs: Set<String> = []
    private(set) var names: [String: String] = [:]

    init(with server: LiveServer, transports: [String: Transport] = [:]) {
        self.server = server
        self.transports = transports
    }

    /// Runs a script. A later call may continue the conversation.
    func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (index, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var location = sourceLocation
            location.line += index + 1
            if let mark = line.firstIndex(where: { "<>#".contains($0) }), line[mark] != "#" {
                let name = line[..<mark].trimmed
                let text = String(line[line.index(after: mark)...].trimmed)
                try line[mark] == ">" ? send(text, name) : handle(text, name, location)
            }
        }
    }

    /// Expects that no client receives another line.
    func end(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (name, client) in clients {
            if endedOutputs.contains(name) {
                try client.expectEnd(sourceLocation: sourceLocation)
            } else {
                try client.send(#"{"type":"ping","id":"the end"}"#)
                try client.expect(#"{"type":"pong","id":"the end"}"#, sourceLocation: sourceLocation)
            }
        }
    }

    private func send(_ text: String, _ name: String) throws {
        let client = try clients[name] ?? enter(name, introduced: text.contains(#""type":"hello""#))
        if text == "|" {
            try client.endOutput()
            endedOutputs.insert(name)
        } else {
            try client.send(Pattern(text).filled(with: names))
        }
    }

    private func enter(_ name: String, introduced: Bool) throws -> any MessageClient {
        let client = try server.connect(over: transports[name])
        if !introduced { try client.greet(as: "\(name)-client") }
        clients[name] = client
        return client
    }

    private func handle(_ text: String, _ name: String, _ location: SourceLocation) throws {
        let client = try #require(clients[name], "\(name) has not connected", sourceLocation: location)
        let line = try client.next()
        if text == "|" {
            try #require(line == nil, sourceLocation: location)
            try client.expectOrderlyEnd()
            clients[name] = nil
            return
        }
        let wanted = Pattern(text).filled(with: names)
        let found = line.flatMap { Pattern(wanted).matches($0) }
        let new = try #require(
            found, "\(name) expects \(wanted.shortened)\nbut receives \((line ?? "the end").shortened)",
            sourceLocation: location)
        names.merge(new) { $1 }
    }
}

/// Runs a whole conversation with a new server.
func converse(
    _ script: String, options: [String: String] = [:], over transport: Transport,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let conversation = Conversation(with: try LiveServer(options, over: transport))
    try conversation.run(script, sourceLocation: sourceLocation)
    try conversation.end(sourceLocation: sourceLocation)
}

extension Substring {
    fileprivate var trimmed: String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
