package import CaretClient
package import CaretCore

/// The address of a server's page, for a browser.
package struct PageAddress: Sendable {
    /// Ends with a slash.
    package let text: String

    /// `served` is the address that the server has sent; nil if it has no page. Throws if a browser on this
    /// machine cannot open the page.
    package init(served: String?, at server: ServerAddress) throws(Failure) {
        guard let served, served.hasPrefix("http://") || served.hasPrefix("https://") else {
            throw Failure(
                "\(server): the server has no page",
                advice: "the keys `web` and `web_hosts` of its configuration turn the page on")
        }
        switch server {
        // A socket belongs to a server on this machine, so the server's own address is right.
        case .unix: text = served
        // The user reaches the server by this host and port, which can differ from those that it listens on.
        case .tcp(let host, let port): text = "http://\(PageAddress.authority(host, port))/"
        case .tls(let host, let port, _): text = "https://\(PageAddress.authority(host, port))/"
        }
        if PageAddress.isOnlyForItsMachine(served), !PageAddress.isOnlyForItsMachine(text) {
            throw Failure(
                "\(server): the server serves its page only to its own machine",
                advice: "the key `web_hosts` of its configuration serves the page to other machines")
        }
    }

    /// The address at which the page shows a document, or its history at a revision.
    package func text(of document: String, at revision: Revision?) -> String {
        let path = document.utf8.map { byte in
            PageAddress.isPlain(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return text + "d/" + path + (revision.map { "?rev=\($0.value)" } ?? "")
    }

    /// Whether a byte may stand in the path of an address as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func authority(_ host: String, _ port: UInt16) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isOnlyForItsMachine(_ address: String) -> Bool {
        let host = address.drop { $0 != "/" }.dropFirst(2)
        return ["127.", "localhost:", "[::1]:"].contains { host.hasPrefix($0) }
    }
}
