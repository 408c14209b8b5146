import Testing

/// What several clients and a server say to each other, a line each, as the page of the protocol writes it down:
///
///     ann> {"type":"ping","id":1}           ann says it
///     ann< {"type":"pong","id":1}           the next that ann hears, in the notation of `Pattern`
///     ann>|                                 ann says no more
///     ann<|                                 and hears no more
///     # a line for people
///
/// Whoever does not begin with a hello has been welcome before. At the end nobody hears anything that does not stand
/// there.
final class Conversation {
    private let server: LiveServer
    private let way: LineClient.Way
    private var clients: [String: LineClient] = [:]
    /// Who says no more.
    private var silent: Set<String> = []
    private(set) var names: [String: String] = [:]

    init(with server: LiveServer, _ way: LineClient.Way = .whole) {
        self.server = server
        self.way = way
    }

    /// Goes on with the conversation, which may go on later.
    func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (index, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var place = sourceLocation
            place.line += index + 1
            if let mark = line.firstIndex(where: { "<>#".contains($0) }), line[mark] != "#" {
                let name = line[..<mark].trimmed
                let text = String(line[line.index(after: mark)...].trimmed)
                try line[mark] == ">" ? say(text, name) : hear(text, name, place)
            }
        }
    }

    /// Nobody hears anything more than was told here.
    func end(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (name, client) in clients {
            if silent.contains(name) {
                try client.expectEnd(sourceLocation: sourceLocation)
            } else {
                try client.send(#"{"type":"ping","id":"the end"}"#)
                try client.expect(#"{"type":"pong","id":"the end"}"#, sourceLocation: sourceLocation)
            }
        }
    }

    private func say(_ text: String, _ name: String) throws {
        let client = try clients[name] ?? enter(name, introduced: text.contains(#""type":"hello""#))
        if text == "|" {
            try client.endOutput()
            silent.insert(name)
        } else {
            try client.send(Pattern(text).filled(with: names))
        }
    }

    private func enter(_ name: String, introduced: Bool) throws -> LineClient {
        let client = try LineClient(server, way)
        if !introduced { try client.greet(as: "\(name)-client") }
        clients[name] = client
        return client
    }

    private func hear(_ text: String, _ name: String, _ place: SourceLocation) throws {
        let client = try #require(clients[name], "\(name) has said nothing", sourceLocation: place)
        let line = try client.next()
        if text == "|" {
            try #require(line == nil, sourceLocation: place)
            clients[name] = nil
            return
        }
        let wanted = Pattern(text).filled(with: names)
        let found = line.flatMap { Pattern(wanted).matches($0) }
        let new = try #require(
            found, "\(name) wants \(wanted.cut)\nand hears \((line ?? "the end").cut)", sourceLocation: place)
        names.merge(new) { $1 }
    }
}

/// A whole conversation, with a server of its own.
func converse(
    _ script: String, options: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let conversation = Conversation(with: try LiveServer(options))
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
