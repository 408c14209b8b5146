import CaretConfig
import Glibc

/// Reports the state of the server to systemd, or to another service manager that sets NOTIFY_SOCKET.
///
/// The protocol of `sd_notify` is one datagram of text for each report. The server does not use systemd's
/// library for it, because users would have to install libsystemd for these few lines.
struct ServiceNotifier: Sendable {
    enum State {
        /// The server accepts connections.
        case ready
        case reloading
        /// The server accepts connections, and uses the configuration that it had before the reload.
        case reloadFailed
        case stopping

        fileprivate var lines: [String] {
            switch self {
            case .ready: ["READY=1", "STATUS=Ready"]
            // systemd compares this time with the time of its own request, to know which reload has begun.
            case .reloading:
                [
                    "RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds())",
                    "STATUS=Reloading the configuration",
                ]
            case .reloadFailed:
                ["READY=1", "STATUS=Ready; the last reload failed, and the log says why (reload_failed)"]
            case .stopping: ["STOPPING=1", "STATUS=Stopping"]
            }
        }

        private func monotonicMicroseconds() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        }
    }

    /// The path of the socket; an abstract socket begins with `@`. Nil if no service manager waits for
    /// reports.
    private let socketPath: String?
    private let log: LogWriter

    /// How long a report may wait for a service manager that does not read.
    private static let longestWait = timeval(tv_sec: 2, tv_usec: 0)

    init(_ environment: [String: String], _ log: LogWriter) {
        let path = environment["NOTIFY_SOCKET"] ?? ""
        socketPath = path.isEmpty ? nil : path
        self.log = log
    }

    /// Reports the state. If this fails, the server logs it and continues.
    func report(_ state: State) {
        guard let socketPath else { return }
        let code = Self.send(state.lines.joined(separator: "\n"), to: socketPath)
        if code != 0 { log.write(LogEvent(.notifyFailed, .path(socketPath), .errno(code))) }
    }

    /// Sends a datagram. Returns the error code of the system; 0 if it was sent.
    private static func send(_ text: String, to path: String) -> Int32 {
        guard path.hasPrefix("/") || path.hasPrefix("@") else { return EAFNOSUPPORT }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // One byte is for the NUL at the end of a path.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        // An abstract name begins with NUL, and ends with the address instead of another NUL.
        let name = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let start = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = socklen_t(start + name.count)

        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { return errno }
        defer { close(descriptor) }
        var wait = longestWait
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout.size(ofValue: wait)))
        let bytes = Array(text.utf8)
        let count = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return count == bytes.count ? 0 : errno
    }
}
