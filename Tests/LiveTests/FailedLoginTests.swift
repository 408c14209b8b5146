import Foundation
import Testing

@Suite("Failed logins in the log", .onOwnThread) struct FailedLoginTests {
    private func makeServer(over transport: Transport) throws -> LiveServer {
        let options = ["--require-tokens": "true", "--listen": "0.0.0.0:0", "--web-hosts": "localhost"]
        return try LiveServer(options, over: transport)
    }

    /// Connects with a token, or with none, and expects a refusal.
    private func fail(with token: String?, at server: LiveServer) throws {
        let shown = token.map { #","token":"\#($0)""# } ?? ""
        let client = try server.connect()
        try client.send(#"{"type":"hello","protocol":1,"client":"somebody"\#(shown)}"#)
        try client.expect(#"{"type":"error","code":"unauthorized",…"#)
        try client.expectEnd()
    }

    /// The expressions of the filter in docs/access.md, with a pattern for addresses in place of
    /// `<ADDR>`.
    private func filter() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/access.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "failregex = "))
        let lines = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
        // The first expression is on the line of `failregex`, and each further one is on an indented line.
        let first = try #require(lines.first)
        let rest = lines.dropFirst().prefix { $0.hasPrefix(" ") }
        return ([first] + rest).map {
            $0.trimmingCharacters(in: .whitespaces).replacing("<ADDR>", with: #"([0-9.]+|[0-9a-f:]+)"#)
        }
    }

    @Test(
        "the documented log filter finds the address of each unknown token",
        arguments: Transport.lines(and: .secureLines))
    func lines(transport: Transport) throws {
        let server = try makeServer(over: transport)
        try fail(with: "caret_9_nonsense", at: server)
        try server.waitForLog(#/ info event=login_failed peer=127\.0\.0\.1:\d+ reason=unknown_token$/#)
        let unknown = try #require(server.logLines.last)
        try fail(with: nil, at: server)
        try server.waitForLog(#/ info event=login_failed peer=127\.0\.0\.1:\d+ reason=no_token$/#)
        let none = try #require(server.logLines.last)
        let expressions = try filter().map { try Regex($0) }
        func address(_ line: String) -> [String] {
            expressions.compactMap { line.firstMatch(of: $0)?.output[1].substring.map(String.init) }
        }
        #expect(address(unknown) == ["127.0.0.1"], "\(unknown)")
        // A client that sends no token does not guess tokens. So the filter must not report its address.
        #expect(address(none) == [], "\(none)")
        let six = unknown.replacing("127.0.0.1:", with: "[2001:db8::7]:")
        #expect(address(six) == ["2001:db8::7"])
        let slowed = unknown.replacing("info event=login_failed", with: "warning event=guessing_slowed")
            .replacing(" reason=unknown_token", with: "")
        #expect(address(slowed) == ["127.0.0.1"], "\(slowed)")
        #expect(address(unknown.replacing("login_failed", with: "connection_refused")) == [])
        #expect(address(unknown + " suppressed=12") == ["127.0.0.1"])
    }

    @Test(
        "no token is logged, and a successful login logs no line",
        arguments: Transport.lines(and: .secureWebSocket))
    func silence(transport: Transport) throws {
        let server = try makeServer(over: transport)
        let admin = try LineClient(server, at: .adminSocket)
        try admin.greet(as: "the-admin")
        try admin.send(#"{"type":"add_token","user":"ann","grants":[{"rights":"read","prefix":""}]}"#)
        let line = try #require(try admin.next())
        let parts = try #require(
            Pattern(#"{"type":"token_added","number":⟨number⟩,"token":"⟨token⟩"}"#).matches(line))
        let client = try server.connect()
        try client.send(
            #"{"type":"hello","protocol":1,"client":"anns-own","token":"\#(parts["token", default: ""])"}"#)
        try client.expect(#"{"type":"welcome",…,"user":"ann",…"#)
        try fail(with: "secret-nonsense", at: server)
        try server.waitForLog(#/ event=login_failed /#)
        #expect(server.logLines.filter { $0.contains("login_failed") }.count == 1)
        #expect(!server.logLines.contains { $0.contains("nonsense") })
    }
}
