import CaretTLS
import Glibc
import TestSupport

/// An address at which a test reaches a server.
enum Address: Equatable {
    case ip4(UInt32, port: UInt16)
    case unix(path: String)

    static func loopback(port: UInt16) -> Address { .ip4(0x7F00_0001, port: port) }

    /// An address of this machine other than loopback; nil if it has none.
    static var ownAddress: UInt32? {
        var list: UnsafeMutablePointer<ifaddrs>?
        if getifaddrs(&list) != 0 { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
            let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            if number >> 24 != 127 { return number }
        }
        return nil
    }

    /// Returns a connected socket. With `trust`, it is the plain end of a tunnel with TLS. The caller must close it.
    func connected(trusting trust: TLSTrust?, speaking spoken: ApplicationProtocol? = nil) throws -> Int32 {
        guard let trust else { return try connected() }
        let session = try TLSClientContext(trust).makeSession(to: "localhost", speaking: spoken)
        return TLSTunnel.open(session, over: try connected())
    }

    /// Returns a connected socket. The caller must close it.
    func connected() throws -> Int32 {
        switch self {
        case .ip4(let number, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            return try Self.connected(&address, AF_INET)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return try Self.connected(&address, AF_UNIX)
        }
    }

    private static func connected<System>(_ address: inout System, _ family: Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { throw SystemFailure("socket", errno) }
        // Turns off Nagle's algorithm: bytes that a test sends one by one must also arrive one by one.
        var isOn: Int32 = 1
        if family == AF_INET { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<System>.size))
            }
        }
        if code == 0 { return descriptor }
        defer { close(descriptor) }
        throw SystemFailure("connect", errno)
    }
}
