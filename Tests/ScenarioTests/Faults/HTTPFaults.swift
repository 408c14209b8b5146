import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import TestSupport

// Faults in the gateway for HTTP and in its shell.

/// The gateway does not notice that a client repeats an append: it gives the repeat another number.
final class AppendRepeatedAsNew: PlantedFault {
    private var copies: [HTTPRequestKey: Int] = [:]

    override func bytes(_ bytes: [UInt8], of request: HTTPRequest, _ client: Int) -> [UInt8] {
        guard case .append = request.content, let seq = request.seq else { return bytes }
        let key = HTTPRequestKey(client: client, number: request.number)
        copies[key, default: 0] += 1
        if copies[key] == 1 { return bytes }
        return bytes.replacing("Caret-Seq: \(seq)\r\n", with: "Caret-Seq: \(seq + 100_000)\r\n")
    }
}

private struct HTTPRequestKey: Hashable {
    let client: Int
    let number: Int
}

/// When a client repeats an append, the gateway does not learn that the document already has the text.
final class OwnAppendNotSeen: PlantedFault {
    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        actions.map { action in
            guard case .send(let session, let output) = action, isHTTP(session.connection) else {
                return action
            }
            let line = String(decoding: output.bytes, as: UTF8.self)
            guard let start = line.firstRange(of: #","own":{"#)?.lowerBound,
                let end = line[start...].firstIndex(of: "}")
            else { return action }
            let altered = line[..<start] + line[line.index(after: end)...]
            return .send(session, RoomOutput(output.kind, Array(altered.utf8)))
        }
    }

    private func isHTTP(_ connection: ConnectionID) -> Bool {
        world.machines.contains { $0.kind == .http && $0.link?.port?.shell?.id == connection }
    }
}

/// The gateway replaces a text whatever its version is.
final class ConditionIgnored: PlantedFault {
    override func bytes(_ bytes: [UInt8], of request: HTTPRequest, _ client: Int) -> [UInt8] {
        guard case .put(_, .isHead(let version), _) = request.content else { return bytes }
        return bytes.replacing("If-Match: \"\(version.version)\"", with: "If-Match: *")
    }
}

/// A read is answered with the response to an earlier read of the same document.
final class OldResponseServed: AlteredResponses {
    private var earlier: [Int: [UInt8]] = [:]
    private var reads = 0

    override func alter(_ response: [UInt8], to request: HTTPRequest, on link: Link) -> [UInt8] {
        guard request.isRead, response.starts(with: Array("HTTP/1.1 200 ".utf8)) else { return response }
        defer { earlier[request.name] = response }
        reads += 1
        return reads % 4 == 0 ? earlier[request.name] ?? response : response
    }
}

/// A read that names a version is always answered with 304.
final class AlwaysNotModified: AlteredResponses {
    override func alter(_ response: [UInt8], to request: HTTPRequest, on link: Link) -> [UInt8] {
        guard case .read(let known?) = request.content, response.starts(with: Array("HTTP/1.1 200 ".utf8))
        else {
            return response
        }
        return Array("HTTP/1.1 304 Not Modified\r\nETag: \"\(known.version)\"\r\n\r\n".utf8)
    }
}

/// If further requests wait on a connection, a request gets the response to the request before it.
final class ResponseToEarlierRequest: AlteredResponses {
    private var last: [Int: [UInt8]] = [:]

    override func alter(_ response: [UInt8], to request: HTTPRequest, on link: Link) -> [UInt8] {
        defer { last[link.number] = response }
        guard let http = link.http, http.responses < http.requests.count else { return response }
        return last[link.number] ?? response
    }
}

/// A refused append gets the response of an accepted one.
final class RefusedAppendAcked: AlteredResponses {
    override func alter(_ response: [UInt8], to request: HTTPRequest, on link: Link) -> [UInt8] {
        guard case .append = request.content, let seq = request.seq,
            response.starts(with: Array("HTTP/1.1 5".utf8)),
            let entry = try? world.store.model.find(Names.parsed[request.name]).get()
        else { return response }
        let version = WirePosition(epoch: entry.epoch.wire, revision: entry.head.next)
        var writer = JSONWriter()
        Ack(document: request.document, seq: seq, revision: version.revision).encode(into: &writer)
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            ETag: "\(version.version)"\r
            Content-Length: \(writer.bytes.count)\r
            \r

            """
        return Array(head.utf8) + writer.bytes
    }
}

/// Alters whole responses.
class AlteredResponses: PlantedFault {
    func alter(_ response: [UInt8], to request: HTTPRequest, on link: Link) -> [UInt8] { response }

    final override func response(_ bytes: [UInt8], on link: Link) -> [UInt8] {
        guard let http = link.http, http.responses <= http.requests.count else { return bytes }
        var reader = ResponseReader()
        reader.receive(bytes)
        // The bytes of a long response lack its body, which follows.
        guard (try? reader.next()) != nil else { return bytes }
        return alter(bytes, to: http.requests[http.responses - 1].request, on: link)
    }
}

extension [UInt8] {
    /// The same bytes with another text in place of `text`.
    fileprivate func replacing(_ text: String, with other: String) -> [UInt8] {
        guard let range = firstRange(of: text.utf8) else { return self }
        return Array(self[..<range.lowerBound]) + other.utf8 + self[range.upperBound...]
    }
}
