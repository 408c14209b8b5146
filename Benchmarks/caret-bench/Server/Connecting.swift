import Glibc

/// An address on localhost. With port 0 the system chooses the port.
func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// A non-blocking socket that listens on a localhost port chosen by the system.
func listeningSocket() -> (descriptor: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var (isOn, address) = (Int32(1), loopback(0))
    setsockopt(listener, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, SOMAXCONN) == 0
                && getsockname(listener, $0, &size) == 0
        }
    }
    precondition(isListening, "cannot listen on a port: errno \(errno)")
    return (listener, UInt16(bigEndian: address.sin_port))
}

/// Connects to a localhost port. Returns nil if no server listens there. With `hasSmallReceiveBuffer`, the
/// receive buffer is the smallest that the system allows.
func connection(to port: UInt16, hasSmallReceiveBuffer: Bool = false) -> Int32? {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (isOn, least, address) = (Int32(1), Int32(4096), loopback(port))
    setsockopt(made, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
    if hasSmallReceiveBuffer { setsockopt(made, SOL_SOCKET, SO_RCVBUF, &least, 4) }
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if code == 0 { return made }
    close(made)
    return nil
}

/// Connects to a server that must be there.
func connected(to port: UInt16, hasSmallReceiveBuffer: Bool = false) -> Int32 {
    guard let made = connection(to: port, hasSmallReceiveBuffer: hasSmallReceiveBuffer) else {
        preconditionFailure("cannot connect to the server: errno \(errno)")
    }
    return made
}

/// Writes bytes that must fit into the system's buffer. They always fit, because each client has little data
/// in flight.
func writeWhole(_ bytes: UnsafeRawBufferPointer, to socket: Int32) {
    let count = write(socket, bytes.baseAddress, bytes.count)
    precondition(count == bytes.count, "cannot write \(bytes.count) bytes to the server")
}

func writeWhole(_ bytes: [UInt8], to socket: Int32) { bytes.withUnsafeBytes { writeWhole($0, to: socket) } }
