import CaretCore
import CaretWire
import TestSupport

/// A request over HTTP. A client that repeats a request sends an equal value again.
struct HTTPRequest: Equatable {
    enum Content: Equatable {
        /// Reads the newest text, unless this is still the version that the client has.
        case read(known: WirePosition?)
        case readOld(Revision)
        case put(WireString, Condition, wantsText: Bool)
        case append(WireString, creates: Bool)
        case health
        /// A request without `Host`, which the server must refuse.
        case malformed
    }

    /// What must hold of a document, so that a `PUT` may write it.
    enum Condition: Equatable {
        case isMissing
        case isHead(WirePosition)
        case mergesInto(WirePosition)
    }

    /// Different for all requests of a client.
    let number: Int
    /// The index of the document's name.
    let name: Int
    let content: Content
    /// The number of the change; nil for requests that change nothing.
    var seq: Int?
    /// Whether the request names its client. Each change does.
    var namesClient = false

    var document: WireString { Names.documents[name] }

    /// Whether this reads the newest text.
    var isRead: Bool { if case .read = content { true } else { false } }

    // MARK: Bytes

    /// The request of this client as it is sent. A body is sent with its length or in chunks.
    func bytes(of client: Int, _ random: inout Seeded) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if content != .malformed { lines.append("Host: localhost") }
        lines.append("Authorization: Bearer token-\(client)")
        if let condition { lines.append(condition) }
        if namesClient { lines.append("Caret-Client: \(Names.client(client))") }
        if let seq { lines.append("Caret-Seq: \(seq)") }
        if wantsText { lines.append("Prefer: return=representation") }
        guard let body else { return head(lines) }
        if random.chance(50) { return head(lines + ["Content-Length: \(body.count)"]) + body }
        return head(lines + ["Transfer-Encoding: chunked"]) + chunks(of: body, &random)
    }

    private func head(_ lines: [String]) -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private func chunks(of body: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], body[...])
        while !rest.isEmpty {
            let chunk = rest.prefix(random.number(1...rest.count))
            rest = rest.dropFirst(chunk.count)
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private var method: String {
        switch content {
        case .read, .readOld, .health, .malformed: "GET"
        case .put: "PUT"
        case .append: "POST"
        }
    }

    private var target: String {
        let path = document.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }
            .joined()
        return switch content {
        case .read, .malformed: "/docs/\(path)"
        case .readOld(let revision): "/docs/\(path)?rev=\(revision.value)"
        case .put(_, .mergesInto(let base), _): "/docs/\(path)?base=\(base.version)"
        case .put: "/docs/\(path)"
        case .append(_, let creates): "/append/\(path)" + (creates ? "?create=1" : "")
        case .health: "/healthz"
        }
    }

    private var condition: String? {
        switch content {
        case .read(let known?): "If-None-Match: \"\(known.version)\""
        case .put(_, .isMissing, _): "If-None-Match: *"
        case .put(_, .isHead(let head), _): "If-Match: \"\(head.version)\""
        case .read, .readOld, .put, .append, .health, .malformed: nil
        }
    }

    private var body: [UInt8]? {
        switch content {
        case .put(let text, _, _), .append(let text, _): Array(text.utf8)
        case .read, .readOld, .health, .malformed: nil
        }
    }

    var wantsText: Bool { if case .put(_, _, true) = content { true } else { false } }
}

extension WirePosition {
    /// The version as HTTP writes it.
    var version: String { "\(epoch.string)/\(revision.value)" }
}
