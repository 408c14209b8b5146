/// The request that turns an HTTP connection into a WebSocket (RFC 6455, section 4.2).
package enum Handshake {
    static let subprotocol = "caret.1"

    /// Every server appends this text to the key of a client.
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Returns the response with which the WebSocket begins.
    package static func response(
        to head: RequestHead, sha1: ([UInt8]) -> [UInt8]
    ) throws(WebRefusal) -> Response {
        let fields = head.fields
        guard head.version == .http11, fields.hasItem("upgrade", inList: "connection"),
            fields.hasItem("websocket", inList: "upgrade")
        else {
            throw WebRefusal(
                .upgradeRequired, .upgradeRequired, "/ws speaks WebSocket; send an upgrade request"
            )
            .adding("Upgrade", "websocket").adding("Connection", "Upgrade")
        }
        guard fields["sec-websocket-version"] == [Array("13".utf8)] else {
            throw WebRefusal(.upgradeRequired, .upgradeRequired, "the version of WebSocket must be 13")
                .adding("Upgrade", "websocket").adding("Connection", "Upgrade")
                .adding("Sec-WebSocket-Version", "13")
        }
        let keys = fields["sec-websocket-key"]
        guard keys.count == 1, Base64.isSixteenBytes(keys[0]) else {
            throw WebRefusal(.badRequest, .badRequest, "Sec-WebSocket-Key must be 16 bytes in Base64")
        }
        guard head.body == .none || head.body == .bytes(0) else {
            throw WebRefusal(.badRequest, .badRequest, "an upgrade request must have no body")
        }
        var response = Response(.switchingProtocols)
        response.add("Upgrade", "websocket")
        response.add("Connection", "Upgrade")
        response.add("Sec-WebSocket-Accept", Base64.text(of: sha1(keys[0] + suffix.utf8)))
        if !fields["sec-websocket-protocol"].isEmpty {
            guard fields.hasItem(subprotocol, inList: "sec-websocket-protocol") else {
                throw WebRefusal(
                    .badRequest, .badRequest, "this server speaks the subprotocol \(subprotocol) only")
            }
            response.add("Sec-WebSocket-Protocol", subprotocol)
        }
        return response
    }
}

enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(
                    index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil if the text is not Base64.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        if text.count % 4 != 0 || padding > 2 { return nil }
        var (bytes, bits) = ([UInt8](), 0)
        for (index, letter) in text.dropLast(padding).enumerated() {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 6 | value
            // Each letter has six bits, so each but the first of four completes a byte.
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (2 * (3 - index % 4)))) }
        }
        return bytes
    }

    /// Whether `text` has the form of sixteen bytes in base64.
    static func isSixteenBytes(_ text: [UInt8]) -> Bool {
        text.count == 24 && text[..<22].allSatisfy(alphabet.contains) && text[22...] == [61, 61]
    }
}
