import Foundation
import Testing

@Suite("Tokens that end, over a socket", .onOwnThread) struct TokenEndTests {
    private static let ended = #"{"type":"error","code":"unauthorized","message":"the token ended at … UTC"}"#

    /// Rules H5 and A16. On a busy machine, the token may end before a request arrives. The test accepts
    /// that.
    @Test(
        "when a token ends, its connections and streams end, and it is refused",
        arguments: Transport.lines(and: .secureWebSocket))
    func ends(transport: Transport) throws {
        let server = try LiveServer(["--require-tokens": "true"], over: transport)
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"x","create":true}"#)
        try admin.expect(#"{"type":"ack","doc":"a",…"#)
        let end = Int(Date().timeIntervalSince1970 * 1_000) + 2_000
        try admin.send(
            #"{"type":"add_token","user":"ann","grants":[{"rights":"read","prefix":""}],"expires":\#(end)}"#)
        let pattern = Pattern(#"{"type":"token_added","number":1,"token":"⟨token⟩"}"#)
        let token = try #require(pattern.matches(try admin.next() ?? "")?["token"])
        let hello = #"{"type":"hello","protocol":1,"client":"ann-client","token":"\#(token)"}"#
        let field = "Authorization: Bearer \(token)"

        let (client, stream) = (try server.connect(), try LineClient(server))
        try client.send(hello)
        try stream.send("GET /events/a HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)\r\nConnection: close\r\n\r")
        let messages = try client.remainingMessages()
        #expect(messages.last == #"{"type":"bye","reason":"revoked"}"# || messages.count == 1)
        _ = try stream.remainingMessages()

        try admin.send(#"{"type":"list_tokens"}"#)
        try admin.expect(
            #"{"type":"tokens","tokens":[{"number":1,"user":"ann","created":…,"expires":\#(end),…}]}"#)
        let again = try server.connect()
        try again.send(hello)
        try again.expect(TokenEndTests.ended)
        try again.expectEnd()
        let refusal = try LineClient(server).fetch("GET /docs/a", field)
        #expect(refusal.status == 401 && refusal.body.contains("the token ended at "))
        try admin.send(#"{"type":"revoke_token","number":1}"#)
        try admin.expect(#"{"type":"done"}"#)
    }

    @Test("an orderly stop records the last uses of tokens")
    func lastUse() throws {
        let server = try LiveServer(["--require-tokens": "true"])
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        let grants = #""grants":[{"rights":"read","prefix":""}]"#
        try admin.send(#"{"type":"add_token","user":"ann",\#(grants)}"#)
        let pattern = Pattern(#"{"type":"token_added","number":1,"token":"⟨token⟩"}"#)
        let token = try #require(pattern.matches(try admin.next() ?? "")?["token"])
        try admin.send(#"{"type":"list_tokens"}"#)
        try admin.expect(
            #"{"type":"tokens","tokens":[{"number":1,"user":"ann","created":…,\#(grants)}]}"#)
        let ann = try LineClient(server)
        try ann.send(#"{"type":"hello","protocol":1,"client":"ann-client","token":"\#(token)"}"#)
        try ann.expect(#"{"type":"welcome",…"#)
        _ = try server.stop()
        let again = try LineClient(try server.startAgain(), at: .adminSocket)
        try again.greet(as: "the-admin")
        try again.send(#"{"type":"list_tokens"}"#)
        try again.expect(
            #"{"type":"tokens","tokens":[{"number":1,"user":"ann","created":…,"last_use":…,\#(grants)}]}"#)
    }
}
