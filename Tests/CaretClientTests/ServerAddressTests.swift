import CaretClient
import Testing

@Suite("Server address") struct ServerAddressTests {
    @Test(
        "an address is a host, a host with a port, or a path",
        arguments: [
            ("example.org", "example.org:22738"), ("127.0.0.1:7", "127.0.0.1:7"), ("[::1]:80", "[::1]:80"),
            ("[::1]", "[::1]:22738"), ("::1", "[::1]:22738"), ("/run/caretd.sock", "/run/caretd.sock"),
            ("data/caretd.sock", "data/caretd.sock"),
        ])
    func read(text: String, written: String) { #expect(ServerAddress(text)?.description == written) }

    @Test(
        "anything else is not an address",
        arguments: [
            "", ":80", "host:", "host:0", "host:65536", "host:http", "host:+80", "host:-80", "[::1]:+80",
            "[::1",
            "[::1]80", "[]:80",
        ])
    func unread(text: String) { #expect(ServerAddress(text) == nil) }
}
