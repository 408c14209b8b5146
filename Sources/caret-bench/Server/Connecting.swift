import Glibc

/// A port of this machine; 0 for one that the system chooses.
func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// A socket that is connected to a port of this machine; nil where nobody listens there. `readsLittle`: it takes no more
/// than the system's least.
func connection(to port: UInt16, readsLittle: Bool = false) -> Int32? {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (isOn, least, address) = (Int32(1), Int32(4096), loopback(port))
    setsockopt(made, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
    if readsLittle { setsockopt(made, SOL_SOCKET, SO_RCVBUF, &least, 4) }
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if code == 0 { return made }
    close(made)
    return nil
}

/// One that must be there.
func connected(to port: UInt16, readsLittle: Bool = false) -> Int32 {
    guard let made = connection(to: port, readsLittle: readsLittle) else {
        preconditionFailure("the server is not there: \(errno)")
    }
    return made
}
