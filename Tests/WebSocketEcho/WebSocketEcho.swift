import CaretWeb
import Dispatch
import Glibc

/// Sends each message of a WebSocket back, with the frames of the server. For suites that test frames, such as
/// Autobahn's:
///
///     .build/debug/websocket-echo 9001
///     wstest --mode fuzzingclient --spec fuzzingclient.json      with "url": "ws://127.0.0.1:9001"
///
/// The port 0 lets the system choose one. The first line of the output has the address.
@main struct WebSocketEcho {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let port = CommandLine.arguments.count > 1 ? UInt16(CommandLine.arguments[1]) : 0
        guard let port, let listener = listeningSocket(at: port) else {
            print("usage: websocket-echo [PORT]    with a free port")
            exit(2)
        }
        print("ws://127.0.0.1:\(self.port(of: listener))")
        fflush(nil)
        while true {
            let client = accept(listener, nil, nil)
            if client < 0 { continue }
            DispatchQueue(label: "client").async {
                var connection = EchoConnection(socket: client)
                connection.run()
                close(client)
            }
        }
    }

    private static func listeningSocket(at port: UInt16) -> Int32? {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withSocketAddress(&address) { bind(listener, $0, $1) == 0 }
        return isBound && listen(listener, 64) == 0 ? listener : nil
    }

    private static func port(of listener: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withSocketAddress(&address) { pointer, _ in
            getsockname(listener, UnsafeMutablePointer(mutating: pointer), &length)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
