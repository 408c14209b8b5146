import Foundation
import Testing

/// Each test whose clients send messages runs over lines and over one other transport. With `--full`, it runs
/// over all transports.
@Suite("The transports of the tests in this folder") struct TransportListTests {
    /// The suites whose tests do not run over lines and over another transport, each with the reason.
    private static let exceptions = [
        "ClockTests": "a server with a wrong clock refuses every certificate",
        "CommandLineTests": "no client connects",
        "FramingTests": "the bytes and the ends of lines; CaretWebTests tests the bytes of frames",
        "HTTPDocumentTests": "requests over HTTP; TLS is tested in HTTPTests and HTTPFailureTests",
        "HTTPFailureTests": "requests over HTTP, with and without TLS",
        "HTTPTests": "requests over HTTP, with and without TLS",
        "ClientPackageTests": "requests over HTTP; TLS is tested in HTTPTests and HTTPFailureTests",
        "HTTPTokenTests": "requests over HTTP; TLS is tested in HTTPTests and HTTPFailureTests",
        "ListenerKindTests": "addresses, ports and the admin socket, before a client has sent a byte",
        "NodeFaultTests": "editors over lines and over WebSockets work on the same servers",
        "NodesTests": "editors over lines and over WebSockets work on the same servers",
        "OpenAPITests": "requests over HTTP; TLS is tested in HTTPTests and HTTPFailureTests",
        "ProtocolPageTests": "the page shows lines",
        "ProxySignInTests": "requests over HTTP; CaretWebTests tests WebSockets of a proxy",
        "ReadRaceTests": "reads over HTTP beside pushes over HTTP",
        "SessionPageTests": "the page shows lines",
        "ReloadTests": "the new configuration, whatever the clients speak",
        "RollingRestartTests": "editors over lines and over WebSockets work on the same servers",
        "ServiceNotifierTests": "no client connects",
        "TLSTests": "what only TLS has",
        "TutorialTests": "the page shows lines",
        "UnreadTests": "the test itself asks over lines, a WebSocket and HTTP",
        "WebSocketTests": "what only a WebSocket has",
        "WordListTests": "no client connects",
    ]

    @Test("every suite runs over several transports, or the list says why not")
    func suites() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix("Tests.swift") && $0 != URL(filePath: #filePath) }
        #expect(files.count > 20)
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let hasArgument = try String(contentsOf: file, encoding: .utf8).contains("lines(and: .")
            let isException = Self.exceptions[name] != nil
            #expect(hasArgument != isException, "\(name) is in the list: \(isException)")
        }
        for name in Self.exceptions.keys {
            #expect(files.contains { $0.lastPathComponent == name + ".swift" }, "\(name) does not exist")
        }
    }

    @Test("a test runs over lines and one other transport, or over all of them")
    func selection() {
        for other in Transport.allCases where other != .lines {
            let chosen = Transport.lines(and: other)
            #expect(chosen == [.lines, other] || chosen == Transport.allCases)
        }
    }

    @Test("the close codes that the clients expect are those in the docs")
    func closeCodes() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/websocket.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.parts(around: "\n| last message | code |\n")?.1)
        let rows = try #require(section.parts(around: "\n\n")?.0).split(separator: "\n").dropFirst()
        for row in rows {
            let code = try #require(row.firstMatch(of: /\| (\d+) \|$/).flatMap { Int($0.1) }, "\(row)")
            if row.hasPrefix("| any other error") {
                #expect(CloseContract.otherError == code)
                continue
            }
            let words = row.matches(of: /(?:reason|error) `([a-z_]+)`/).map { String($0.1) }
            #expect(words.map { CloseContract.codes[$0] } == [code], "\(row)")
        }
        #expect(rows.count == CloseContract.codes.count + 1)
    }
}
