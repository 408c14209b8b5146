import CaretWeb
import CaretWire

/// A response, as a client receives it.
struct HTTPResponse {
    let status: Int
    /// The values by lower-case name. The server sends no field twice.
    let fields: [String: String]
    let body: [UInt8]

    /// The version that `ETag` names.
    var version: WirePosition? {
        fields["etag"].flatMap { EntityTag(quoted: Array($0.utf8)) }
            .map { WirePosition(epoch: $0.epoch, revision: $0.revision) }
    }

    /// The message in a body of JSON.
    var message: ServerMessage? {
        guard fields["content-type"] == "application/json", body.last == UInt8(ascii: "\n") else {
            return nil
        }
        var decoder = MessageDecoder()
        // A body that cannot be decoded has no message, and the referee then fails the run.
        return (try? decoder.serverMessage(Array(body.dropLast())))?.message
    }
}

/// Reads the responses of a connection.
struct ResponseReader {
    /// Why bytes are not a response that the server may send.
    struct Fault: Error { let what: String }

    private var input: [UInt8] = []

    mutating func receive(_ bytes: [UInt8]) { input += bytes }

    /// The next response; nil if it is not complete.
    mutating func next() throws(Fault) -> HTTPResponse? {
        // A server that stops before it has received a byte sends a line, and closes the connection.
        if input.first == UInt8(ascii: "{") { return nil }
        guard let end = headEnd else { return nil }
        let lines = String(decoding: input[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count == 3, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Fault(what: "a response begins with \(lines.first ?? "nothing")")
        }
        let fields = try fields(lines.dropFirst())
        let mayHaveBody = status != 204 && status != 304
        let length = fields["content-length"].flatMap { Int($0) }
        guard mayHaveBody == (length != nil) else {
            throw Fault(what: "a response with status \(status) has the length \(length ?? -1)")
        }
        let start = end + 4
        guard input.count >= start + (length ?? 0) else { return nil }
        let body = Array(input[start..<start + (length ?? 0)])
        input.removeFirst(start + body.count)
        return HTTPResponse(status: status, fields: fields, body: body)
    }

    /// Where the empty line after the head begins.
    private var headEnd: Int? {
        var from = 0
        while let index = input[from...].firstIndex(of: 13), index + 3 < input.count {
            if input[index + 1] == 10, input[index + 2] == 13, input[index + 3] == 10 { return index }
            from = index + 1
        }
        return nil
    }

    private func fields(_ lines: ArraySlice<String.SubSequence>) throws(Fault) -> [String: String] {
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[1].first == " ",
                fields.updateValue(String(parts[1].dropFirst()), forKey: parts[0].lowercased()) == nil
            else { throw Fault(what: "a response has the field \(line)") }
        }
        return fields
    }
}
