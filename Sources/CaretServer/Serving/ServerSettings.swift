package import CaretLog
package import CaretWeb
package import CaretWire
import Glibc

/// The settings of a server.
package struct ServerSettings: Sendable {
    package var limits = Limits()
    package var loops: Int
    package var roomQueues: Int
    /// The server's name and version, as sent in `welcome`.
    package var name: WireString

    /// The name of the server, for the list of servers.
    package var node = WireString("caretd")

    /// Where clients reach the server now. Nil if it listens only on its admin socket.
    package var address: @Sendable () -> WireString? = { nil }

    /// The current address of the server's page, as sent in `welcome`. Nil if the server has no page.
    package var page: @Sendable () -> WireString? = { nil }

    /// Marks of the keys of signed tokens. A reload ends the connections whose token has another key.
    package var signingKeys: Set<ByteString> = []

    /// What clients without a token may read. A reload ends the connections that could read something else.
    package var guests = Grants.none

    /// How proxies sign in users. Nil if they do not.
    package var proxySignIn: ProxySignIn?
    /// The trusted proxies, as `machine` writes their addresses.
    package var proxies: Set<SocketAddress> = []
    /// Where the server's page gets its tokens, on its own origin; empty if its users enter them. It has no character that
    /// means something in HTML.
    package var pageTokenPath = ""

    /// Which hosts and pages may use HTTP.
    package var siteGuard = SiteGuard()

    package init(name: WireString, loops: Int, roomQueues: Int) {
        self.name = name
        self.loops = loops
        self.roomQueues = roomQueues
    }

    /// The number of cores. By default a server has this many loops, and this many queues of rooms.
    package static let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
