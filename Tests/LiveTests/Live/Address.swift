import Glibc

/// Where a test reaches a server.
enum Address {
    case loopback(port: UInt16)
    case unix(path: String)

    /// A socket that is connected, and that whoever takes it closes.
    func connected() throws -> Int32 {
        switch self {
        case .loopback(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
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
        // What is said byte by byte is to be sent so.
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
