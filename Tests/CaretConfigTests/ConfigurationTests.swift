import CaretConfig
import CaretWire
import Testing

@Suite("The configuration of caretd") struct ConfigurationTests {
    @Test("an empty configuration has the defaults, and no faults")
    func defaults() {
        let configuration = configured()
        #expect(configuration.settings == Settings())
        #expect(configuration.sentences == [])
        #expect(configuration.settings.listen.map(\.description) == ["127.0.0.1:22738"])
    }

    @Test("an option overrides a variable, and a variable overrides the file")
    func order() {
        let file = "{loops: 1, room_queues: 1, limit_edits: 1}"
        let environment = ["CARET_LOOPS": "2", "CARET_ROOM_QUEUES": "2"]
        let configuration = configured(file, environment, "--loops", "3")
        #expect(configuration.settings.loops == 3)
        #expect(configuration.settings.roomQueues == 2)
        #expect(configuration.settings.limits.announced.edits == 1)
        #expect(configuration.settings.limits.announced.documents == 256)
        #expect(configuration.sentences == [])
    }

    @Test(
        "a mistake in the file is reported with its position",
        arguments: [
            ("{lissten: []}", "caret.json5:1:2: no key is named \"lissten\"; did you mean listen?"),
            (
                "{\n'keep-history': 'forever'}",
                "caret.json5:2:1: no key is named \"keep-history\"; did you mean keep_history?"
            ),
            ("{lcoops: 1}", "caret.json5:1:2: no key is named \"lcoops\"; did you mean loops?"),
            ("{database: 1}", "caret.json5:1:2: no key is named \"database\""),
            ("{\u{1B}: 1}", "caret.json5:1:2: found U+001B, expected a key"),
            ("{'\u{1B}[2J': 1}", "caret.json5:1:2: no key is named \"?[2J\""),
            ("{loops: 1, loops: 2}", "caret.json5:1:12: the key \"loops\" exists already, at 1:2"),
            ("[]", "caret.json5:1:1: a configuration must be an object, such as {data: \"data\"}"),
            (
                "{ping: 0}",
                "caret.json5:1:8: ping: found 0, allowed is a time from 1 s to 1 h, in whole seconds"
            ),
            (
                "{\n  limit_document: \"5 GiB\"}",
                "caret.json5:2:19: limit_document: found \"5 GiB\", allowed is a size from 1 KiB to 64 MiB"
            ),
            (
                "{limit_edits: Infinity}",
                "caret.json5:1:15: limit_edits: found Infinity, allowed is a whole number from 1 to 1000000"
            ),
            // The message repeats a number of up to 24 characters as it was written, and quotes a longer one.
            (
                "{loops: 123456789012345678901234}",
                "caret.json5:1:9: loops: found 123456789012345678901234, allowed is a whole number from 0 to 256"
            ),
            (
                "{loops: 1234567890123456789012345}",
                "caret.json5:1:9: loops: found \"1234567890123456789012345\", allowed is a whole number from 0 to 256"
            ),
            (
                "{log_level: 'warn'}",
                "caret.json5:1:13: log_level: found \"warn\", allowed is debug, info, warning, error"
            ),
            (
                "{listen: ['127.0.0.1:1', 'example.org:7']}",
                "caret.json5:1:26: listen: found \"example.org:7\", allowed is at most 16 addresses HOST:PORT; "
                    + "HOST is localhost or an IP address such as 127.0.0.1 or [::1]"
            ),
            (
                "{keep_pushers: '36 h'}",
                "caret.json5:1:16: keep_pushers: found \"36 h\", allowed is a time from 1 day to 3650 days, in whole days"
            ),
        ])
    func fileFaults(text: String, sentence: String) { #expect(configured(text).sentences == [sentence]) }

    @Test("all wrong values are reported together, and valid values still apply")
    func manyFaults() {
        let configuration = configured("{loops: -1, ping: '1 s', data: 7}", ["CARET_LOOPS": "x"], "--loops=y")
        #expect(
            configuration.sentences == [
                "caret.json5:1:9: loops: found -1, allowed is a whole number from 0 to 256",
                "caret.json5:1:32: data: found 7, allowed is the path of a folder, without control characters",
                "CARET_LOOPS: loops: found \"x\", allowed is a whole number from 0 to 256",
                "--loops: loops: found \"y\", allowed is a whole number from 0 to 256",
            ])
        #expect(configuration.settings.limits.pingSeconds == 1)
    }

    @Test("a message repeats no more than 64 characters of a value")
    func longValues() {
        let long = String(repeating: "a", count: 1_000)
        for text in ["{loops: '\(long)'}", "{\(long): 1}", "{loops: \(long)}", "{loops: 1\(long)}"] {
            let sentences = configured(text, ["CARET_PING": long], "--\(long)", long).sentences
            #expect(sentences.count == 4 && sentences.allSatisfy { $0.count < 200 }, "\(sentences)")
        }
    }

    // MARK: The environment

    @Test("a misspelt variable is a fault; variables of other programs are not")
    func variables() {
        let environment = [
            "CARET_LISTN": "x", "CARET_SERVICE_HOST": "10.0.0.1", "CARET_PORT": "tcp://10.0.0.1:1",
            "CARET_SEED": "1",
            "CARET_PORT_22738_TCP_ADDR": "10.0.0.1", "CARET_CONFIG": "x", "PATH": "x", "CARET_": "",
            "CARET_TOKEN": "x",
        ]
        let configuration = configured(nil, environment)
        #expect(
            configuration.sentences == ["CARET_LISTN: no key has this variable; did you mean CARET_LISTEN?"])
        let ignored = [
            "CARET_", "CARET_PORT", "CARET_PORT_22738_TCP_ADDR", "CARET_SEED", "CARET_SERVICE_HOST",
            "CARET_TOKEN",
        ]
        #expect(configuration.ignoredVariables == ignored)
    }

    @Test("an empty variable is refused for the data folder and for addresses")
    func emptyVariable() {
        #expect(
            configured(nil, ["CARET_DATA": ""]).sentences == [
                "CARET_DATA: data: found \"\", allowed is the path of a folder, without control characters"
            ])
        #expect(configured(nil, ["CARET_LISTEN": ""]).faults.count == 1)
    }

    @Test("a variable separates addresses by commas, and `none` is an empty list")
    func addressesInVariable() {
        let both = configured(nil, ["CARET_LISTEN": "127.0.0.1:1, [::1]:2"])
        #expect(both.settings.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
        #expect(configured(nil, ["CARET_LISTEN": "none"]).settings.listen == [])
        #expect(configured(nil, ["CARET_LISTEN": "127.0.0.1:1,"]).faults.count == 1)
    }

    @Test("up to 16 addresses are accepted, with spaces around the commas")
    func manyAddresses() {
        let addresses = (1...17).map { "127.0.0.1:\($0)" }
        let most = configured(nil, ["CARET_LISTEN": addresses.prefix(16).joined(separator: " , ")])
        #expect(most.faults == [])
        #expect(most.settings.listen.map(\.description) == Array(addresses.prefix(16)))
        #expect(configured(nil, ["CARET_LISTEN": addresses.joined(separator: ",")]).faults.count == 1)
    }

    @Test("keep_history is `forever`, a time or a number of revisions")
    func history() {
        #expect(configured("{keep_history: 'forever'}").settings.keepHistory == .forever)
        #expect(configured("{keep_history: 90}").settings.keepHistory == .seconds(90 * 86_400))
        #expect(configured("{keep_history: '36 h'}").settings.keepHistory == .seconds(36 * 3_600))
        #expect(configured("{keep_history: '10000 revisions'}").settings.keepHistory == .revisions(10_000))
    }

    // MARK: Contradictions

    @Test(
        "a remote address is refused without tokens, unless explicitly allowed",
        arguments: ["0.0.0.0:7", "[::]:7", "10.1.2.3:0", "[2001:db8::1]:7", "[::ffff:10.0.0.1]:7"])
    func openToAnyone(address: String) {
        let written = ListenAddress(address)?.description ?? ""
        let refused =
            "--listen: listen: other machines can reach \(written), and every client would have full access; "
            + "set require_tokens to true, or set allow_anyone_from_anywhere to true to permit this"
        #expect(configured(nil, [:], "--listen", "127.0.0.1:7", "--listen", address).sentences == [refused])
        #expect(configured(nil, [:], "--listen", address, "--require-tokens").sentences == [])
        #expect(configured(nil, [:], "--listen", address, "--allow-anyone-from-anywhere").sentences == [])
        #expect(configured("{listen: '\(address)'}", ["CARET_REQUIRE_TOKENS": "true"]).sentences == [])
        #expect(
            configured("{require_tokens: true}", [:], "--listen", address, "--require-tokens=false").faults
                .count == 1)
    }

    @Test("web_hosts is refused without tokens, unless explicitly allowed")
    func openThroughProxy() {
        let refused =
            "caret.json5:1:13: web_hosts: other machines may reach this server as a.example, and every client would "
            + "have full access; set require_tokens to true, or set allow_anyone_from_anywhere to true to permit this"
        #expect(configured("{web_hosts: ['a.example', 'b']}").sentences == [refused])
        for key in ["require_tokens", "allow_anyone_from_anywhere"] {
            #expect(configured("{web_hosts: ['a.example'], \(key): true}").sentences == [])
        }
        #expect(configured("{web_hosts: ['a.example'], web: false}").sentences == [])
    }

    @Test("pages of all local sites are allowed only if no other machine can reach the server")
    func localSites() {
        let local = "web_origins: ['http://localhost:*']"
        for more in [
            "listen: ['127.0.0.1:7', '[::1]:7', 'localhost:8']",
            "web_hosts: ['localhost'], require_tokens: true",
            "listen: ['10.1.2.3:7'], require_tokens: true, web: false",
        ] {
            #expect(configured("{\(local), \(more)}").sentences == [])
        }
        for (more, reached) in [
            ("listen: ['127.0.0.1:7', '10.1.2.3:7']", "10.1.2.3:7"),
            ("web_hosts: ['a.example']", "a.example"),
        ] {
            #expect(
                configured("{\(local), \(more), require_tokens: true}").sentences == [
                    "caret.json5:1:15: web_origins: other machines can reach this server as \(reached), so "
                        + "http://localhost:* is not allowed; name each site, such as http://localhost:8000"
                ])
        }
    }

    @Test(
        "settings that contradict are refused with the position of one of them",
        arguments: [
            (
                "{allow_anyone_from_anywhere: true, require_tokens: true}",
                "caret.json5:1:30: allow_anyone_from_anywhere and require_tokens are both true; set one of them to false"
            ),
            (
                "{listen: [], admin_socket: false}",
                "caret.json5:1:10: listen is empty and admin_socket is false; no client could connect"
            ),
            ("{listen: ['[::1]:7', '[0::1]:7']}", "caret.json5:1:10: listen: [::1]:7 is given twice"),
            (
                "{limit_document: '5 MiB'}",
                "default: limit_line: 25 MiB is less than 30784 KiB, the length of "
                    + "a line with a text of limit_document bytes, each escaped to six bytes"
            ),
            (
                "{limit_line_budget: '10 MiB'}",
                "caret.json5:1:21: limit_line_budget: 10 MiB is less than 25 MiB, the memory for the longest line: "
                    + "limit_line, rounded down to a multiple of limit_free_line"
            ),
            (
                "{limit_room_selections: 999}",
                "caret.json5:1:25: limit_room_selections: 999 is less than limit_selections, which is 1000"
            ),
            (
                "{page_token_path: '/token'}",
                "caret.json5:1:19: page_token_path is set, but require_tokens is false, so nobody needs a token; "
                    + "set require_tokens to true"
            ),
            (
                "{tls_certificate: 'c'}",
                "caret.json5:1:19: tls_certificate is set, but tls_key is empty; set it to the file of the private key"
            ),
            (
                "{tls_key: 'k'}",
                "caret.json5:1:11: tls_key is set, but tls_certificate is empty; set it to the file of the certificate"
            ),
            (
                "{sign_in_header: 'X-User', sign_in_proxies: '::1'}",
                "caret.json5:1:18: sign_in_header is set, but require_tokens is false, so nobody needs to sign in; "
                    + "set require_tokens to true"
            ),
            (
                "{sign_in_header: 'X-User', sign_in_proxies: [], require_tokens: true}",
                "caret.json5:1:45: sign_in_header is set, but sign_in_proxies is empty, so no proxy is trusted; "
                    + "set it to the address of the proxy, such as 127.0.0.1"
            ),
            (
                "{tls: 'required'}",
                "caret.json5:1:7: tls is required, but there is no certificate; set tls_certificate and tls_key"
            ),
        ])
    func contradictions(text: String, sentence: String) { #expect(configured(text).sentences == [sentence]) }

    @Test(
        "limit_line_budget must cover the memory that the longest line needs")
    func lineBudget() {
        #expect(configured("{limit_line_budget: '25 MiB'}").faults == [])
        #expect(configured("{limit_line_budget: \((25 << 20) - 1)}").faults.count == 1)
        let steps = "limit_free_line: '768 KiB'"
        #expect(configured("{limit_line_budget: '25344 KiB', \(steps)}").faults == [])
        #expect(configured("{limit_line_budget: \((25_344 << 10) - 1), \(steps)}").faults.count == 1)
    }

    @Test("settings that almost contradict each other are accepted")
    func noContradictions() {
        let long = "limit_document: '5 MiB', limit_line_budget: '64 MiB'"
        #expect(configured("{\(long), limit_line: '30784 KiB'}").faults == [])
        #expect(configured("{\(long), limit_line: \((30_784 << 10) - 1)}").faults.count == 1)
        #expect(configured("{limit_room_selections: 1000}").faults == [])
        #expect(configured("{listen: []}").faults == [])
        let proxy = "sign_in_proxies: '::1', sign_in_rights: 'write:{user}/'"
        #expect(configured("{\(proxy)}").faults == [])
        #expect(configured("{\(proxy), sign_in_header: 'X-User', require_tokens: true}").faults == [])
        #expect(configured("{admin_socket: false}").faults == [])
        #expect(configured("{tls: 'offered', tls_certificate: 'c', tls_key: 'k'}").faults == [])
    }

    @Test(
        "TLS is required as tls says, and by default only on addresses that other machines can reach",
        arguments: [
            ("auto", false, true), ("offered", false, false), ("required", true, true),
        ])
    func requiredTLS(use: String, onLoopback: Bool, elsewhere: Bool) throws {
        let settings = configured("{tls: '\(use)', tls_certificate: 'c', tls_key: 'k'}").settings
        let (loopback, other) = (
            try #require(ListenAddress("[::1]:1")), try #require(ListenAddress("0.0.0.0:1"))
        )
        #expect(settings.requiresTLS(at: loopback) == onLoopback)
        #expect(settings.requiresTLS(at: other) == elsewhere)
        #expect(!Settings().requiresTLS(at: other))
    }

    @Test("contradictions are not checked if a value is refused")
    func noConsequences() {
        let sentences = configured("{listen: '[::]:7', require_tokens: 'yes'}").sentences
        #expect(sentences == ["caret.json5:1:36: require_tokens: found \"yes\", allowed is true or false"])
    }

    @Test("two addresses with port 0 do not count as the same address")
    func freePorts() { #expect(configured("{listen: ['127.0.0.1:0', '127.0.0.1:0']}").faults == []) }

    @Test("a data folder is refused if its socket's path would be too long")
    func socketPath() {
        let longest = String(repeating: "a", count: 107 - "/caretd.sock".utf8.count)
        #expect(configured("{data: '\(longest)'}").faults == [])
        #expect(
            configured("{data: '\(longest)a'}").faults.map(\.problem) == [
                .contradiction(.socketPathTooLong(bytes: 108))
            ])
        #expect(configured("{data: '\(longest)a', admin_socket: false}").faults == [])
    }

    /// Rule H8.
    @Test("the push rate is limited only if tokens are required")
    func pushes() {
        #expect(configured().settings.limits.announced.pushesPerSecond == nil)
        #expect(configured("{require_tokens: true}").settings.limits.announced.pushesPerSecond == 100)
        let set = configured("{limit_pushes_per_second: 7, allow_anyone_from_anywhere: true}")
        #expect(set.settings.limits.announced.pushesPerSecond == nil)
    }
}
