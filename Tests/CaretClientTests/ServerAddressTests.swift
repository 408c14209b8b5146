import CaretClient
import Testing

@Suite("The address of a server, written as text") struct ServerAddressTests {
    @Test(
        "an address is a host, a host with a port, or a path",
        arguments: [
            ("example.org", .tcp(host: "example.org", port: 22738), "example.org:22738"),
            ("127.0.0.1:7", .tcp(host: "127.0.0.1", port: 7), "127.0.0.1:7"),
            ("a-b_c.example:1", .tcp(host: "a-b_c.example", port: 1), "a-b_c.example:1"),
            ("bücher.example:65535", .tcp(host: "bücher.example", port: 65535), "bücher.example:65535"),
            ("[::1]:80", .tcp(host: "::1", port: 80), "[::1]:80"),
            ("[::1]", .tcp(host: "::1", port: 22738), "[::1]:22738"),
            ("::1", .tcp(host: "::1", port: 22738), "[::1]:22738"),
            ("::", .tcp(host: "::", port: 22738), "[::]:22738"),
            ("::ffff:127.0.0.1", .tcp(host: "::ffff:127.0.0.1", port: 22738), "[::ffff:127.0.0.1]:22738"),
            ("[fe80::1%eth0]:9", .tcp(host: "fe80::1%eth0", port: 9), "[fe80::1%eth0]:9"),
            ("/run/caretd.sock", .unix(path: "/run/caretd.sock"), "/run/caretd.sock"),
            ("data/caretd.sock", .unix(path: "data/caretd.sock"), "data/caretd.sock"),
            ("./a://b", .unix(path: "./a://b"), "./a://b"),
            ("//run/caretd.sock", .unix(path: "//run/caretd.sock"), "//run/caretd.sock"),
            ("c:/caretd.sock", .unix(path: "c:/caretd.sock"), "c:/caretd.sock"),
            ("caret://example.org:7", .tcp(host: "example.org", port: 7), "example.org:7"),
            ("caret://[::1]", .tcp(host: "::1", port: 22738), "[::1]:22738"),
            (
                "carets://example.org", .tls(host: "example.org", port: 22738, trust: .system),
                "carets://example.org:22738"
            ),
            ("carets://[::1]:7", .tls(host: "::1", port: 7, trust: .system), "carets://[::1]:7"),
            (
                "carets://a:7?trust=/etc/a b?.pem", .tls(host: "a", port: 7, trust: .file("/etc/a b?.pem")),
                "carets://a:7?trust=/etc/a b?.pem"
            ),
            (
                "carets://a:7?pin=" + String(repeating: "0Af9", count: 16),
                .tls(
                    host: "a", port: 7,
                    trust: .pinned(sha256: (0..<16).flatMap { _ in [0x0A, 0xF9] as [UInt8] })),
                "carets://a:7?pin=" + String(repeating: "0af9", count: 16)
            ),
        ] as [(String, ServerAddress, String)])
    func read(text: String, address: ServerAddress, written: String) {
        #expect(ServerAddress(text) == address)
        #expect(address.description == written)
    }

    @Test(
        "text that is not an address is refused",
        arguments: [
            "", " ", " host", "ho st", "host\n", ":80", "host:", "host:0", "host:65536", "host:http",
            "host:+80", "host:-80", "host:80:90", "1:2:3", "fe80::1%", "%eth0", "user@host", "host?",
            "[::1]:+80", "[::1]:", "[::1]:0", "[::1]:65536", "[::1", "[::1]80", "[]:80", "::1]", "[",
            "[example.org]:80", "[127.0.0.1]:80", "[::1%]:80", "http://host:1", "tcp://host",
            "ws://[::1]:80/x", "carets://", "caret://", "carets://a/", "carets://a:7?", "carets://a:7?trust=",
            "carets://a:7?pin=", "carets://a:7?pin=0g", "carets://a:7?other=1", "carets://a:0",
            "carets://a?pin=" + String(repeating: "0", count: 63),
            "carets://a?pin=" + String(repeating: "0", count: 66), "caret://a:7?trust=b", "carets://a b",
            "carets://a?pin=" + String(repeating: "0", count: 63) + "\u{661}",
        ])
    func unread(text: String) { #expect(ServerAddress(text) == nil) }

    @Test(
        "a list has addresses with commas between them, each one once",
        arguments: [
            ("a", ["a:22738"]), ("a,b:7", ["a:22738", "b:7"]), (" a ,\tb ", ["a:22738", "b:22738"]),
            ("a,b,a:22738,caret://b", ["a:22738", "b:22738"]),
            (
                "carets://a?trust=/etc/a.pem,/run/caretd.sock,carets://a",
                ["carets://a:22738?trust=/etc/a.pem", "/run/caretd.sock", "carets://a:22738"]
            ),
            ("[::1]:7,::1", ["[::1]:7", "[::1]:22738"]), ("/run/a b/s", ["/run/a b/s"]),
        ])
    func list(text: String, addresses: [String]) throws {
        #expect(try ServerAddress.list(text).map(\.description) == addresses)
    }

    @Test(
        "the error of a list says which entry is wrong",
        arguments: [
            ("", InvalidServerAddress(entry: "", number: 1, count: 1)),
            (" ", InvalidServerAddress(entry: "", number: 1, count: 1)),
            ("a,", InvalidServerAddress(entry: "", number: 2, count: 2)),
            (",a", InvalidServerAddress(entry: "", number: 1, count: 2)),
            ("a, ,b", InvalidServerAddress(entry: "", number: 2, count: 3)),
            ("a, b:x ,c", InvalidServerAddress(entry: "b:x", number: 2, count: 3)),
            ("a b", InvalidServerAddress(entry: "a b", number: 1, count: 1)),
            ("a;b", InvalidServerAddress(entry: "a;b", number: 1, count: 1)),
            ("http://a,b", InvalidServerAddress(entry: "http://a", number: 1, count: 2)),
        ])
    func wrongEntry(text: String, fault: InvalidServerAddress) {
        #expect(throws: fault) { try ServerAddress.list(text) }
    }

    @Test("the error of a list names its entry")
    func wrongEntryInWords() {
        #expect(
            "\(InvalidServerAddress(entry: "", number: 2, count: 3))"
                == "address 2 of 3 is empty")
        #expect(
            "\(InvalidServerAddress(entry: "a b", number: 1, count: 3))"
                == "address 1 of 3 is not the address of a server: \"a b\"")
    }
}
