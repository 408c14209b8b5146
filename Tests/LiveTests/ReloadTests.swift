import CaretTLS
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Reloading the configuration with SIGHUP", .onOwnThread) struct ReloadTests {
    /// A server with a configuration file that tests change.
    private struct Fixture {
        let scratch: Scratch
        let server: LiveServer

        var path: String { scratch.path + "/caret.json5" }

        init(_ text: String, _ options: [String: String] = [:]) throws {
            scratch = try .inMemory()
            try Self.write(text, to: scratch.path + "/caret.json5")
            let own = ["--config": scratch.path + "/caret.json5"]
            server = try LiveServer(own.merging(options) { $1 }, in: scratch)
        }

        private static func write(_ text: String, to path: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        func write(_ text: String) throws { try Self.write(text, to: path) }

        /// Changes the file, and waits for the log line about the reload.
        func reload(_ text: String, logging event: String) throws {
            try write(text)
            server.program.kill(SIGHUP)
            try server.waitForLog(event)
        }

        func reload(_ text: String, changing changes: String, needingRestart others: String = "none") throws {
            try reload(
                text,
                logging: " info event=reloaded changed=\(quoted(changes)) needs_restart=\(quoted(others))")
        }

        private func quoted(_ text: String) -> String { text == "none" ? text : "\"\(text)\"" }

        func client(_ name: String = "ann-client") throws -> LineClient {
            let client = try LineClient(server)
            try client.greet(as: name)
            return client
        }
    }

    // MARK: Keys that a reload applies

    @Test("a new log level applies at once, in both directions")
    func logLevel() throws {
        let fixture = try Fixture("{log_level: 'error'}", ["--log-level": "info"])
        // The option overrides the file, so the file changes nothing.
        try fixture.reload("{log_level: 'debug'}", changing: "none")
        let other = try LiveServer(["--config": fixture.path])
        _ = try LineClient(other)
        try other.waitForLog(#/ debug event=connection_opened /#)
        try fixture.write("{log_level: 'error'}")
        other.program.kill(SIGHUP)
        try other.waitForLog(#"event=reloaded changed="log_level: debug -> error" needs_restart=none"#)
        #expect(try other.stop().errors.contains { $0.contains("event=stopping") } == false)
    }

    @Test("new connections get the new limits, and open ones keep their limits")
    func limits() throws {
        let fixture = try Fixture("{limit_documents: 2, limit_line_budget: '256 MiB'}")
        let before = try fixture.client("before-client")
        try fixture.reload(
            "{limit_documents: 1, limit_selections: 7, ping: '30 min', limit_line_budget: '25 MiB'}",
            changing: "limit_line_budget: 256 MiB -> 25 MiB, limit_documents: 2 -> 1, "
                + "limit_selections: 1000 -> 7")
        let after = try LineClient(fixture.server)
        try after.send(#"{"type":"hello","protocol":1,"client":"after-client"}"#)
        try after.expect(#"{"type":"welcome",…"documents":1,"selections":7}…"#)
        for (client, second) in [(before, "opened"), (after, "error")] {
            try client.send(#"{"type":"open","doc":"a","create":true}"#)
            try client.expect(#"{"type":"opened",…"#)
            try client.send(#"{"type":"open","doc":"b","create":true}"#)
            try client.expect(#"{"type":"\#(second)",…"#)
        }
    }

    @Test("a new budget for incomplete lines applies to all connections, in both directions")
    func lineBudget() throws {
        let keys = { (budget: Int) in
            "{limit_document: '1 KiB', limit_line: '1 MiB', limit_line_budget: '\(budget) MiB'}"
        }
        let fixture = try Fixture(keys(2))
        let begin = #"{"type":"ping","id":1,"x":""# + String(repeating: "x", count: 1_000_000)
        let clients = try ["ann-client", "ben-client"].map { try fixture.client($0) }
        let others = try ["cyd-client", "dan-client"].map { try fixture.client($0) }
        for client in clients { try client.sendBeginning(of: begin) }
        for client in clients {
            try client.send(#""}"#)
            try client.expect(#"{"type":"pong","id":1}"#)
        }
        try fixture.reload(keys(1), changing: "limit_line_budget: 2 MiB -> 1 MiB")
        for client in clients { try client.sendBeginning(of: begin) }
        var asked = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        #expect(poll(&asked, 2, 60_000) > 0)
        let refused = asked[0].revents != 0 ? 0 : 1
        try clients[refused].expect(#"{"type":"error","code":"overloaded",…"#)
        // If both asked for the last bytes at the same moment, the other one is refused too, and cannot send any more.
        try? clients[1 - refused].send(#""}"#)
        _ = try? clients[1 - refused].next()
        try fixture.reload(keys(2), changing: "limit_line_budget: 1 MiB -> 2 MiB")
        for client in others { try client.sendBeginning(of: begin) }
        for client in others {
            try client.send(#""}"#)
            try client.expect(#"{"type":"pong","id":1}"#)
        }
    }

    @Test("a new limit of pushes per second applies to new connections")
    func pushRate() throws {
        let fixture = try Fixture("{require_tokens: true}")
        try fixture.reload(
            "{require_tokens: true, limit_pushes_per_second: 3}",
            changing: "limit_pushes_per_second: 100 -> 3")
        let client = try LineClient(fixture.server, at: .adminSocket)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.expect(#"{"type":"welcome",…"pushes_per_second":3}…"#)
    }

    @Test("new hosts and origins are served, and removed ones are refused")
    func web() throws {
        let fixture = try Fixture("{require_tokens: true}")
        let server = fixture.server
        func status(_ fields: String...) throws -> Int {
            let client = try LineClient(server)
            try client.request("GET /healthz", host: "caret.example.org", fields.first ?? "Accept: */*")
            return try client.response().status
        }
        let origin = "Origin: https://app.example.org"
        #expect(try status() == 421)
        try fixture.reload(
            "{require_tokens: true, web_hosts: ['caret.example.org'], web_origins: ['https://app.example.org']}",
            changing: "web_hosts: [] -> [caret.example.org], web_origins: [] -> [https://app.example.org]")
        #expect(try status() == 200)
        #expect(try status(origin) == 200)
        try fixture.reload(
            "{require_tokens: true, web_hosts: ['caret.example.org']}",
            changing: "web_origins: [https://app.example.org] -> []")
        #expect(try status() == 200)
        #expect(try status(origin) == 403)
        try fixture.reload(
            "{require_tokens: true, web: false}",
            changing: "web: true -> false, web_hosts: [caret.example.org] -> []")
        let client = try LineClient(server)
        try client.request("GET /healthz")
        try client.expect(#"{"type":"error","code":"bad_json",…"#)
    }

    @Test("TLS can be turned on, required and turned off")
    func tls() throws {
        let folder = try CertificateFolder()
        let pair = try folder.make("server")
        let files = "tls_certificate: '\(pair.certificate)', tls_key: '\(pair.key)'"
        let changedFiles = "tls_certificate: empty -> \(pair.certificate), tls_key: empty -> \(pair.key)"
        let fixture = try Fixture("{}")
        let plain = try fixture.client()
        try fixture.reload("{\(files), tls: 'required'}", changing: "\(changedFiles), tls: auto -> required")
        try LineClient(fixture.server, trusting: .file(pair.certificate)).greet(as: "bob-client")
        let refused = try LineClient(fixture.server)
        try refused.send(#"{"type":"hello","protocol":1,"client":"eve-client"}"#)
        try refused.expectEnd()
        try plain.send(#"{"type":"ping","id":1}"#)
        try plain.expect(#"{"type":"pong","id":1}"#)
        try fixture.reload(
            "{}",
            changing: "tls_certificate: \(pair.certificate) -> empty, tls_key: \(pair.key) -> empty, "
                + "tls: required -> auto")
        try LineClient(fixture.server).greet(as: "eve-client")
    }

    // MARK: Keys that need a restart

    @Test("each reload names the changed keys that need a restart, and skips them")
    func needsRestart() throws {
        let fixture = try Fixture("{loops: 1, limit_document: '1 MiB'}")
        let text = "{loops: 3, limit_document: '2 MiB', limit_documents: 9}"
        let restart = "loops: 1 -> 3, limit_document: 1 MiB -> 2 MiB"
        try fixture.reload(text, changing: "limit_documents: 256 -> 9", needingRestart: restart)
        try fixture.reload(text, changing: "none", needingRestart: restart)
        let client = try LineClient(fixture.server)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.expect(#"{"type":"welcome",…"document":1048576,…"documents":9,…"#)
    }

    @Test("values that contradict a value kept until a restart are refused")
    func contradiction() throws {
        let fixture = try Fixture("{}")
        try fixture.reload(
            "{require_tokens: true, web_hosts: ['caret.example.org'], log_level: 'debug'}",
            logging: "fault=\"restart the server, because a reload does not change require_tokens; "
                + "with the running value, web_hosts: other machines may reach this server as "
                + "caret.example.org, and every client would have full access; set require_tokens to true, "
                + "or set allow_anyone_from_anywhere to true to permit this\"")
        let client = try LineClient(fixture.server)
        try client.request("GET /healthz", host: "caret.example.org")
        #expect(try client.response().status == 421)
        #expect(try fixture.server.stop().errors.contains { $0.contains(" debug ") } == false)
    }

    // MARK: Faults

    @Test("a wrong file is reported with each fault, and nothing changes")
    func wrongFile() throws {
        let fixture = try Fixture("{limit_documents: 1}")
        let path = fixture.path
        try fixture.reload(
            "{limit_documents: 5,\n lopps: 2, ping: '1 fortnight'}",
            logging: #" error event=reload_failed fault="\#(path):2:2: "#
                + #"no key is named \"lopps\"; did you mean loops?""#)
        try fixture.server.waitForLog(#/ error event=reload_failed fault=".*:2:18: ping: found .*"$/#)
        try fixture.reload(
            "{limit_documents: 5", logging: "the object that begins here is not closed\"")
        try fixture.reload(
            "{limit_documents: 5, tls_key: 'caret.key'}",
            logging: "set it to the file of the certificate\"")
        try fixture.reload(
            "{limit_documents: 5, tls_certificate: '/none.pem', tls_key: '/none.key'}",
            logging: #"fault="/none.pem: the file cannot be read: No such file or directory""#)
        let client = try LineClient(fixture.server)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.expect(#"{"type":"welcome",…"documents":1,…"#)
        try fixture.reload("{limit_documents: 5}", changing: "limit_documents: 1 -> 5")
    }

    @Test("a missing file is reported, and nothing changes")
    func missingFile() throws {
        let fixture = try Fixture("{limit_documents: 1}")
        #expect(unlink(fixture.path) == 0)
        fixture.server.program.kill(SIGHUP)
        try fixture.server.waitForLog(
            #"fault="\#(fixture.path): the configuration cannot be read: No such file or directory""#)
        try fixture.reload("{limit_documents: 1}", changing: "none")
    }

    // MARK: Times of the signal

    @Test("without a file, SIGHUP changes nothing")
    func noFile() throws {
        let server = try LiveServer()
        server.program.kill(SIGHUP)
        try server.waitForLog(" info event=reloaded changed=none needs_restart=none")
        #expect(try server.stop().status == 0)
    }

    @Test("after many signals at once, the newest file applies")
    func manySignals() throws {
        let fixture = try Fixture("{}")
        for count in 1...20 {
            try fixture.write("{limit_documents: \(count)}")
            fixture.server.program.kill(SIGHUP)
        }
        try fixture.server.waitForLog(#/event=reloaded changed="limit_documents: \d+ -> 20"/#)
        let client = try LineClient(fixture.server)
        try client.send(#"{"type":"hello","protocol":1,"client":"ann-client"}"#)
        try client.expect(#"{"type":"welcome",…"documents":20,…"#)
    }

    @Test("SIGHUP does nothing while the server stops")
    func duringStop() throws {
        let fixture = try Fixture("{}")
        let client = try fixture.client()
        fixture.server.program.kill(SIGTERM)
        try fixture.server.waitForLog("event=stopping signal=15")
        try fixture.write("{log_level: 'debug'}")
        fixture.server.program.kill(SIGHUP)
        try client.expect(#"{"type":"bye","reason":"shutting_down"}"#)
        try client.endOutput()
        let end = try fixture.server.program.waitForExit()
        #expect(end.status == 0)
        #expect(end.errors.map { $0.split(separator: " ").dropFirst(2) } == [["event=stopped"]])
    }
}
