import CaretWeb
import Testing

@Suite("The handshake of a WebSocket") struct HandshakeTests {
    private func response(_ change: (String) -> String = { $0 }) -> String {
        WebWorld().receive(change(WebWorld.upgrade))[0]
    }

    @Test("the answer to a handshake equals the example of RFC 6455")
    func example() {
        #expect(
            response()
                == "HTTP/1.1 101 Switching Protocols\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
                + "X-Content-Type-Options: nosniff\r\n\r\n")
    }

    @Test(
        "a handshake that lacks a part, or has a wrong one, is refused",
        arguments: [
            ("Upgrade: websocket\r\n", "", "426"), ("Connection: Upgrade\r\n", "", "426"),
            ("Upgrade: websocket", "Upgrade: h2c", "426"), ("Version: 13", "Version: 8", "426"),
            ("Sec-WebSocket-Version: 13\r\n", "", "426"), ("HTTP/1.1", "HTTP/1.0", "426"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=", "400"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZ!==", "400"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQAA", "400"),
            ("\r\n\r\n", "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", "400"),
            ("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\n", "400"),
            ("\r\n\r\n", "\r\nSec-WebSocket-Protocol: chat, caret.2\r\n\r\n", "400"),
            ("GET", "POST", "405"),
        ])
    func refused(old: String, new: String, status: String) {
        let response = response { $0.replacing(old, with: new, maxReplacements: 1) }
        #expect(response.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test("a handshake with a wrong version gets the supported version")
    func version() {
        #expect(response { $0.replacing("13", with: "12") }.contains("\r\nSec-WebSocket-Version: 13\r\n"))
    }

    @Test("caret.1 is chosen if the client offers it; extensions are ignored")
    func subprotocol() {
        let response = response {
            $0.replacing(
                "\r\n\r\n",
                with: "\r\nSec-WebSocket-Protocol: chat, caret.1\r\n"
                    + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
        }
        #expect(response.contains("\r\nSec-WebSocket-Protocol: caret.1\r\n"))
        #expect(!response.contains("Extensions"))
    }
}
