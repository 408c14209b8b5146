import Glibc

/// Why a socket cannot listen at an address.
package enum ListenFault: Error, Equatable, CustomStringConvertible {
    case address(AddressFault)
    /// Another socket listens at this address.
    case inUse
    /// The path has a file that is not a socket. The file is not removed.
    case notASocket
    case system(SystemFault)
    /// The loop that should listen has stopped.
    case stopped

    package var description: String {
        switch self {
        case .address(let fault): fault.description
        case .inUse: "another process listens there already; stop it, or choose another address"
        case .notASocket: "this file is not a socket; move it away, or choose another path"
        case .system(let fault): fault.description
        case .stopped: "the server is stopping"
        }
    }
}

/// A listening socket, with its file if it is a Unix socket. The owner must close it.
struct ListeningSocket: Sendable {
    /// Distinguishes the socket's file from another file at the same path.
    private struct FileIdentity: Equatable {
        let device: dev_t
        let node: ino_t
    }

    let descriptor: Int32
    /// The address, with the port that the system chose.
    let address: SocketAddress
    private let file: FileIdentity?

    init(at address: SocketAddress) throws(ListenFault) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.family, kind, 0)
        if descriptor < 0 { throw .system(SystemFault("socket")) }
        do throws(ListenFault) {
            try ListeningSocket.prepare(descriptor, for: address)
            try ListeningSocket.bind(descriptor, to: address)
            if listen(descriptor, SOMAXCONN) != 0 { throw .system(SystemFault("listen")) }
            self.address = try ListeningSocket.address(of: descriptor, boundTo: address)
            file = try ListeningSocket.file(of: address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Closes the socket, and removes its file unless another file has replaced it.
    func close() {
        Glibc.close(descriptor)
        guard case .unix(let path) = address, let file,
            ListeningSocket.identity(of: path)?.file == file
        else { return }
        unlink(path)
    }

    private static func prepare(_ descriptor: Int32, for address: SocketAddress) throws(ListenFault) {
        switch address {
        case .ip4, .ip6:
            // Lets the server listen on a port even if old connections on this port are in the state
            // TIME_WAIT.
            try set(SO_REUSEADDR, SOL_SOCKET, of: descriptor)
            // Accepted sockets inherit this option: the system sends each line at once instead of waiting for
            // more bytes.
            try set(TCP_NODELAY, Int32(IPPROTO_TCP), of: descriptor)
            // Without this option the socket would also accept IPv4 connections. Then the server could not
            // listen on the same port with IPv4.
            if case .ip6 = address { try set(IPV6_V6ONLY, Int32(IPPROTO_IPV6), of: descriptor) }
        case .unix:
            // The mode is set before `bind` creates the file, so other users can never open it.
            if fchmod(descriptor, 0o600) != 0 { throw .system(SystemFault("fchmod")) }
        }
    }

    private static func set(_ option: Int32, _ level: Int32, of descriptor: Int32) throws(ListenFault) {
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout.size(ofValue: isOn))
        if setsockopt(descriptor, level, option, &isOn, size) != 0 {
            throw .system(SystemFault("setsockopt"))
        }
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress) throws(ListenFault) {
        let code = try bound(descriptor, to: address)
        if code == 0 { return }
        guard code == EADDRINUSE else { throw .system(SystemFault("bind", code: code)) }
        guard case .unix(let path) = address else { throw .inUse }
        try removeStaleSocketFile(path, address)
        let second = try bound(descriptor, to: address)
        if second == EADDRINUSE { throw .inUse }
        if second != 0 { throw .system(SystemFault("bind", code: second)) }
    }

    private static func bound(_ descriptor: Int32, to address: SocketAddress) throws(ListenFault) -> Int32 {
        try errorCode(with: address) { Glibc.bind(descriptor, $0, $1) }
    }

    /// The error code of a call; 0 if it succeeded.
    private static func errorCode(
        with address: SocketAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(ListenFault) -> Int32 {
        do throws(AddressFault) {
            return try address.withSockaddr { call($0, $1) == 0 ? 0 : errno }
        } catch {
            throw .address(error)
        }
    }

    /// Removes the file of a socket on which no process listens. A killed server leaves such a file.
    private static func removeStaleSocketFile(_ path: String, _ address: SocketAddress) throws(ListenFault) {
        // Connecting to a file that is not a socket fails in the same way, so check the type first.
        guard identity(of: path)?.isSocket == true else { throw .notASocket }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let probe = socket(AF_UNIX, kind, 0)
        if probe < 0 { throw .system(SystemFault("socket")) }
        defer { Glibc.close(probe) }
        if try errorCode(with: address, { connect(probe, $0, $1) }) != ECONNREFUSED { throw .inUse }
        if unlink(path) != 0 { throw .system(SystemFault("unlink")) }
    }

    private static func address(
        of descriptor: Int32, boundTo result: SocketAddress
    ) throws(ListenFault) -> SocketAddress {
        if case .unix = result { return result }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout.size(ofValue: storage))
        let found = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size) == 0 ? SocketAddress($0) : nil
            }
        }
        guard let found else { throw .system(SystemFault("getsockname")) }
        return found
    }

    private static func file(of address: SocketAddress) throws(ListenFault) -> FileIdentity? {
        guard case .unix(let path) = address else { return nil }
        guard let identity = identity(of: path) else { throw .system(SystemFault("lstat")) }
        return identity.file
    }

    private static func identity(of path: String) -> (file: FileIdentity, isSocket: Bool)? {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        return (FileIdentity(device: found.st_dev, node: found.st_ino), found.st_mode & S_IFMT == S_IFSOCK)
    }
}
