import CaretWire
import Testing

@Suite("Hosts and origins") struct OriginTests {
    @Test(
        "a host and its port are read in upper or lower case",
        arguments: [
            ("LocalHost", "localhost"), ("caret.example.org:8443", "caret.example.org:8443"),
            ("a_b-c", "a_b-c"),
            ("127.0.0.1:1", "127.0.0.1:1"), ("[::1]:65535", "[::1]:65535"), ("[FD00::7]", "[fd00::7]"),
        ])
    func hosts(text: String, description: String) {
        #expect(Authority(text)?.description == description)
    }

    @Test(
        "a text that is not a host is refused",
        arguments: [
            "", ":", "a:", "a:0", "a:65536", "a:1:2", "a:+1", "a b", "a..b", ".a", "a.", "user@a", "a/b", "[",
            "[]", "[::1",
            "[::1]x", "[::1]:", "[g::]", "ä", "\u{212A}", String(repeating: "a", count: 64),
            [String](repeating: "aaaaaaa", count: 32).joined(separator: "."),
        ])
    func noHosts(text: String) {
        #expect(Authority(text) == nil)
    }

    @Test("a host may have labels of 63 letters, and 253 letters in all")
    func longHosts() {
        #expect(Authority(String(repeating: "a", count: 63)) != nil)
        let name = [String](repeating: "aaaaaaa", count: 31).joined(separator: ".") + ".aaaaa"
        #expect(name.utf8.count == 253 && Authority(name) != nil && Authority(name + "a") == nil)
    }

    @Test("only names and addresses of this machine are loopback")
    func loopback() {
        for text in ["localhost", "a.localhost", "127.0.0.1", "127.255.255.255:7", "[::1]"] {
            #expect(Authority(text)?.isLoopback == true, "\(text)")
        }
        for text in [
            "localhost.a", "notlocalhost", "128.0.0.1", "127.0.0.1.a", "127.1", "127.0.0.01", "127.0.0.256",
            "[::2]",
        ] {
            #expect(Authority(text)?.isLoopback == false, "\(text)")
        }
    }

    @Test("an origin without a port has the port of its scheme")
    func ports() {
        #expect(Origin("http://a") == Origin("http://A:80") && Origin("https://a") == Origin("HTTPS://a:443"))
        #expect(Origin("http://a") != Origin("https://a") && Origin("http://a:443") != Origin("https://a"))
        #expect(Origin("https://a:443")?.description == "https://a")
        #expect(Origin("http://a:443")?.description == "http://a:443")
    }

    @Test(
        "a text that is not an origin is refused",
        arguments: [
            "", "null", "a", "http:a", "http:/a", "http://", "http://a/", "ftp://a", "://a", "http://a:0",
            "http://a b",
        ])
    func noOrigins(text: String) {
        #expect(Origin(text) == nil)
    }
}
