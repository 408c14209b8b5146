import CaretCore
import CaretWire

/// What a path names.
enum Route: Equatable {
    /// The server itself, as in `OPTIONS *`.
    case server
    case health
    case webSocket
    case metrics
    /// A file of the page or of the JavaScript client.
    case file(path: String)
    case documents
    case document(WireString)
    case append(WireString)
    case rename(WireString)
    case copy(WireString)
    case restore(WireString)
    case history(WireString)
    case blame(WireString)
    case difference(WireString)
    case events(WireString)
    /// The events of all documents with a prefix.
    case allEvents
    case tokens
    case token(number: Int)
    case links(WireString)
    case notes(WireString)
    case signOut
    /// Messages of the Model Context Protocol.
    case assistant

    /// Nil if there is nothing at this path.
    init?(_ path: String) {
        switch path {
        case "*": self = .server
        case "/healthz": self = .health
        case "/ws": self = .webSocket
        case "/metrics": self = .metrics
        case "/docs": self = .documents
        case "/events": self = .allEvents
        case "/tokens": self = .tokens
        case "/sign-out": self = .signOut
        case "/mcp": self = .assistant
        case WebFile.pagePath, "/manifest.json", "/service-worker.js", "/caret.js", "/caret.wasm",
            "/openapi.json":
            self = .file(path: path)
        case _ where path.hasPrefix("/page/") || path.hasPrefix("/caret/"): self = .file(path: path)
        case _ where WebFile.isPackage(path): self = .file(path: path)
        // The page itself reads the name of the document from its address.
        case _ where path.hasPrefix("/d/"): self = .file(path: WebFile.pagePath)
        default:
            // The name of a document may contain `/`, so it is always the last part.
            let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty else { return nil }
            let name = WireString(String(parts[2]))
            switch parts[1] {
            case "docs": self = .document(name)
            case "append": self = .append(name)
            case "rename": self = .rename(name)
            case "copy": self = .copy(name)
            case "restore": self = .restore(name)
            case "history": self = .history(name)
            case "blame": self = .blame(name)
            case "diff": self = .difference(name)
            case "events": self = .events(name)
            case "links": self = .links(name)
            case "notes": self = .notes(name)
            case "tokens":
                guard let number = Int(parts[2]), 0...Limits.integer ~= number, "\(number)" == parts[2] else {
                    return nil
                }
                self = .token(number: number)
            default: return nil
            }
        }
    }

    var methods: [String] {
        switch self {
        case .server: ["OPTIONS"]
        case .health, .metrics, .file, .documents, .history, .blame, .difference: ["GET", "HEAD", "OPTIONS"]
        case .webSocket, .events, .allEvents: ["GET", "OPTIONS"]
        case .document: ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"]
        case .append, .rename, .copy, .restore, .signOut, .assistant: ["POST", "OPTIONS"]
        case .tokens: ["GET", "HEAD", "POST", "OPTIONS"]
        case .token: ["DELETE", "OPTIONS"]
        case .links: ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]
        case .notes: ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]
        }
    }

    /// The path of a document, percent-encoded.
    var path: String {
        guard case .document(let name) = self else { return "/" }
        let hex = Array("0123456789ABCDEF")
        return name.utf8.reduce(into: "/docs/") { path, byte in
            if byte.isDigit || byte.isLetter || "-._~/".utf8.contains(byte) {
                path.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                path += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
            }
        }
    }

    /// The exchange that answers a request, with the client's number for a push. Nil if this resource needs no
    /// document.
    func exchange(
        _ head: RequestHead, _ target: RequestTarget, seq: Int, _ assistant: AssistantAnswers
    ) throws(WebRefusal) -> (any Exchange)? {
        func query(_ names: String...) throws(WebRefusal) -> Query {
            try Query(target, allowing: names + ["unit"])
        }
        switch (self, head.method) {
        case (.server, _), (.health, _), (.file, _), (.webSocket, _): return nil
        case (.metrics, _):
            _ = try query()
            return Measuring()
        case (.events(let name), _):
            return try Watching(name, head, query("from", "squash", "peers"))
        case (.allEvents, _): return Watching(documentsWithPrefix: try query("prefix").text("prefix"))
        case (.documents, _): return try Asking.list(query("prefix", "after", "limit"))
        case (.document(let name), "PUT"):
            return try Writing(name, head, query("base"), seq: seq)
        case (.document(let name), "POST"):
            return try Editing(editing: name, head, query("base"), seq: seq)
        case (.document(let name), "DELETE"):
            _ = try query()
            guard head.fields["if-match"].isEmpty, head.fields["if-none-match"].isEmpty else {
                throw WebRefusal(
                    .badRequest, .badRequest, "a DELETE must have neither If-Match nor If-None-Match")
            }
            return Asking(.delete(Delete(document: name)), hasBody: false)
        case (.document(let name), _): return try Reading(name, head, query("rev", "at", "newline"))
        case (.append(let name), _):
            return try Editing(appendingTo: name, head, query("create"), seq: seq)
        case (.rename(let name), _): return try Asking.rename(name, query("to"))
        case (.copy(let name), _): return try Asking.copy(name, query("to"))
        case (.restore(let name), _): return try Asking.restore(name, query("to"), seq: seq)
        case (.history(let name), _):
            return try history(of: name, head, query("after", "at", "limit", "edits"))
        case (.blame(let name), _): return try Asking.blame(name, query("rev", "after", "limit"))
        case (.difference(let name), _): return try Comparing(name, head, query("from", "to"))
        case (.tokens, "POST"):
            _ = try query()
            return try Asking(body: AddToken.type, head)
        case (.tokens, _): return try Asking.listTokens(query("after", "limit"))
        case (.token(let number), _):
            _ = try query()
            return Asking(.admin(.revokeToken(RevokeToken(number: number))), hasBody: false)
        case (.links(let name), "POST"): return try Asking.addLink(name, query("rights", "seconds"))
        case (.links(let name), "DELETE"): return try Asking.endLink(name, query("number"))
        case (.links(let name), _): return try Asking.listLinks(name, query("after", "limit"))
        case (.notes(let name), "POST"):
            _ = try query()
            return try Asking(body: AddNote.type, head, about: name)
        case (.notes(let name), "PATCH"):
            _ = try query()
            return try Asking(body: ChangeNote.type, head, about: name)
        case (.notes(let name), "DELETE"): return try Asking.removeNote(name, query("note", "version"))
        case (.notes(let name), _): return try Asking.listNotes(name, query("since", "after", "limit"))
        case (.signOut, _):
            _ = try query()
            return try Asking(body: SignOutRequest.type, head, hasBody: false)
        case (.assistant, _):
            _ = try Query(target, allowing: [])
            return try Assisting(assistant, head, seq: seq)
        }
    }

    private func history(
        of document: WireString, _ head: RequestHead, _ query: Query
    ) throws(WebRefusal) -> any Exchange {
        switch MediaType.preferred(by: head.fields, among: [.json, .jsonLines]) {
        case .json: try Asking.history(document, query)
        case .jsonLines: try Following(document, head, query)
        default:
            throw WebRefusal(
                .notAcceptable, .badType,
                "a history can only be sent as application/json or application/x-ndjson")
        }
    }

    /// Whether the response does not end.
    var isEndless: Bool {
        switch self {
        case .events, .allEvents: true
        case .server, .health, .file, .webSocket, .metrics, .documents, .document, .append, .rename, .copy,
            .restore, .history, .blame, .difference, .tokens, .token, .links, .notes, .signOut,
            .assistant:
            false
        }
    }

    /// Whether a request changes a document, so that the server must recognise its repetition.
    func pushes(_ method: String) -> Bool {
        switch self {
        case .document: method == "PUT" || method == "POST"
        case .append, .restore, .assistant: true
        case .server, .health, .file, .webSocket, .metrics, .documents, .rename, .copy, .history, .blame,
            .difference, .events, .allEvents, .tokens, .token, .links, .notes, .signOut:
            false
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { isCapital || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
}
