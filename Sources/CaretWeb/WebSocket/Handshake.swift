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
