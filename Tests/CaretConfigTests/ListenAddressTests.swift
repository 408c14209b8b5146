import CaretConfig
import Testing

@Suite("Addresses to listen on") struct ListenAddressTests {
    @Test(
        "a parsed address is printed in the usual notation",
        arguments: [
            ("127.0.0.1:22738", "127.0.0.1:22738"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:1", "[::1]:1"),
            ("[0:0:0:0:0:0:0:1]:65535", "[::1]:65535"), ("localhost:7", "127.0.0.1:7"),
            ("[::]:080", "[::]:80"),
            ("[2001:DB8::1]:7", "[2001:db8::1]:7"),
        ])
    func read(text: String, written: String) { #expect(ListenAddress(text)?.description == written) }

    @Test(
        "an invalid address or port is refused",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", ":7", "*:7", "example.org:7", "127.0.0.1:65536",
            "127.0.0.1:-1",
            "127.0.0.1:+1", "127.0.0.1:000007", "127.1:7", "127.0.0.01:7", "::1:7", "[::1]", "[::1:7",
            "[127.0.0.1]:7",
            "[fe80::1%lo]:7", "127.0.0.1\0:7", " 127.0.0.1:7", "127.0.0.1:7 ", "127.0.0.1:٣", "[]:7",
            "Localhost:7",
        ])
    func refused(text: String) { #expect(ListenAddress(text) == nil) }

    @Test(
        "loopback addresses are recognised",
        arguments: [
            ("127.0.0.1:7", true), ("127.255.0.9:7", true), ("[::1]:7", true), ("[::ffff:127.0.0.1]:7", true),
            ("localhost:7", true), ("0.0.0.0:7", false), ("[::]:7", false), ("10.0.0.1:7", false),
            ("128.0.0.1:7", false),
            ("[::2]:7", false), ("[::ffff:10.0.0.1]:7", false), ("[1::1]:7", false),
            ("[::127.0.0.1]:7", false),
        ])
    func loopback(text: String, isLoopback: Bool) { #expect(ListenAddress(text)?.isLoopback == isLoopback) }
}
