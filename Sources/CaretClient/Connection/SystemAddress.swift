#if canImport(Glibc) && !canImport(Network)
    import Glibc

    /// A socket address in the form that system calls need.
    package struct SystemAddress: Sendable {
        let family: Int32
        private let bytes: [UInt8]

        /// Returns the addresses of a server, the best one first. May block while it waits for the network.
        package static func resolved(_ address: ServerAddress) throws(ResolvingFault) -> [SystemAddress] {
            switch address {
            case .tcp(let host, let port), .tls(let host, let port, _): try resolved(host: host, port: port)
            case .unix(let path): [try SystemAddress(path: path)]
            }
        }

        private static func resolved(host: String, port: UInt16) throws(ResolvingFault) -> [SystemAddress] {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_NUMERICSERV
            var first: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, String(port), &hints, &first)
            guard code == 0 else { throw ResolvingFault(reason: String(cString: gai_strerror(code))) }
            defer { freeaddrinfo(first) }
            return sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
                guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
                let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                return SystemAddress(family: entry.ai_family, bytes: Array(raw))
            }
        }

        private init(family: Int32, bytes: [UInt8]) {
            self.family = family
            self.bytes = bytes
        }

        private init(path: String) throws(ResolvingFault) {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // One byte is for the zero byte at the end of the path.
            let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
            if path.utf8.count > limit {
                throw ResolvingFault(
                    reason: "the path of the socket has \(path.utf8.count) bytes, "
                        + "and the system allows \(limit)")
            }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            family = AF_UNIX
            bytes = withUnsafeBytes(of: address) { Array($0) }
        }

        /// Starts to connect a socket. Returns 0 or the system's error code.
        func connect(_ descriptor: Int32) -> Int32 {
            bytes.withUnsafeBytes { raw in
                raw.withMemoryRebound(to: sockaddr.self) { address in
                    Glibc.connect(descriptor, address.baseAddress, socklen_t(raw.count)) == 0 ? 0 : errno
                }
            }
        }
    }
#endif
