package import CaretTLS
import Glibc

/// The client's end of a TLS connection, as a plain socket for a test that knows nothing of TLS.
///
/// A thread moves the bytes: what the test writes to the plain socket is encrypted for the server, and the reverse. It
/// keeps at most one piece for each direction, so a test that does not read is a slow reader for the server.
// @unchecked: `open` sets all properties before it starts the thread, and then only the thread uses them.
package final class TLSTunnel: @unchecked Sendable {
    private let session: TLSSession
    private let secure: Int32
    private let plain: Int32
    private let report: @Sendable (TLSFault) -> Void
    /// What has been decrypted, but not written to the plain socket.
    private var decrypted: [UInt8] = []
    private var plainHasEnded = false
    private var secureHasEnded = false

    private static let pieceBytes = 16 << 10

    /// Returns a plain socket, which the caller must close. Takes ownership of `socket`, which is connected to the
    /// server. Both ends are closed if TLS fails; then `report` is called.
    package static func open(
        _ session: sending TLSSession, over socket: Int32,
        _ report: @escaping @Sendable (TLSFault) -> Void = { _ in }
    ) -> Int32 {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no sockets for a tunnel: \(errno)")
        let tunnel = TLSTunnel(session, secure: socket, plain: ends[1], report)
        startThread(of: tunnel)
        return ends[0]
    }

    /// Dispatch is not used, because it runs at most 255 threads, and a test may have more tunnels than that.
    private static func startThread(of tunnel: TLSTunnel) {
        var thread = pthread_t()
        let passed = Unmanaged.passRetained(tunnel)
        let code = pthread_create(
            &thread, nil,
            { passed in
                // The caller below passes a pointer, so `passed` is never nil.
                Unmanaged<TLSTunnel>.fromOpaque(passed!).takeRetainedValue().run()
                return nil
            }, passed.toOpaque())
        precondition(code == 0, "no thread for a tunnel: \(code)")
        pthread_detach(thread)
    }

    private init(
        _ session: TLSSession, secure: Int32, plain: Int32, _ report: @escaping @Sendable (TLSFault) -> Void
    ) {
        (self.session, self.secure, self.plain, self.report) = (session, secure, plain, report)
        for descriptor in [secure, plain] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
    }

    private func run() {
        defer {
            close(secure)
            close(plain)
        }
        decrypt()
        while !isDone {
            var polled = [polled(secure, reads: readsSecure, writes: !session.output.isEmpty)]
            polled.append(self.polled(plain, reads: readsPlain, writes: !decrypted.isEmpty))
            if poll(&polled, 2, -1) < 0 { continue }
            if polled[0].revents != 0, !moveSecure() { return }
            if polled[1].revents != 0, !movePlain() { return }
        }
    }

    private func polled(_ descriptor: Int32, reads: Bool, writes: Bool) -> pollfd {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        // `poll` ignores the descriptor -1. Otherwise a socket that has hung up would be reported again and
        // again.
        return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    private var readsSecure: Bool { !secureHasEnded && decrypted.isEmpty }

    private var readsPlain: Bool { !plainHasEnded && session.isOpen && session.output.isEmpty }

    private var isDone: Bool {
        plainHasEnded && secureHasEnded && decrypted.isEmpty && session.output.isEmpty
    }

    /// Moves bytes from and to the server. Returns false if the connection has failed.
    private func moveSecure() -> Bool {
        if readsSecure {
            switch read(secure) {
            case .none: break
            case .failed: return false
            case .ended: endSecure()
            case .bytes(let bytes):
                bytes.withUnsafeBytes { session.receive($0) }
                if !decrypt() { return false }
            }
        }
        return writeSecure()
    }

    private func writeSecure() -> Bool {
        if session.output.isEmpty { return true }
        let output = session.output
        let count = send(secure, output.baseAddress, output.count, Int32(MSG_NOSIGNAL))
        if count < 0 { return errno == EAGAIN }
        session.removeOutput(count)
        if plainHasEnded, session.output.isEmpty { shutdown(secure, Int32(SHUT_WR)) }
        return true
    }

    /// Returns false if the session has failed.
    @discardableResult
    private func decrypt() -> Bool {
        while true {
            var end = TLSSession.ReadingEnd.full
            decrypted += [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
                (count, end) = session.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            switch end {
            case .full: continue
            case .needsInput: return true
            case .ended:
                endSecure()
                return true
            case .failed(let fault):
                report(fault)
                // Tries to send the server the reason for the failure.
                _ = writeSecure()
                return false
            }
        }
    }

    private func endSecure() {
        secureHasEnded = true
        if decrypted.isEmpty { shutdown(plain, Int32(SHUT_WR)) }
    }

    private func movePlain() -> Bool {
        if !decrypted.isEmpty {
            let count = send(plain, decrypted, decrypted.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno != EAGAIN { return false }
            decrypted.removeFirst(max(0, count))
            if secureHasEnded, decrypted.isEmpty { shutdown(plain, Int32(SHUT_WR)) }
        }
        guard readsPlain else { return true }
        switch read(plain) {
        case .none: return true
        case .failed: return false
        case .ended:
            plainHasEnded = true
            session.endOutput()
            return writeSecure()
        case .bytes(let bytes):
            // An open session can seal any bytes, so an error means that the session has failed.
            guard (try? bytes.withUnsafeBytes { try session.seal($0) }) != nil else { return false }
            return writeSecure()
        }
    }

    private enum ReadResult {
        case bytes([UInt8])
        case none, ended, failed
    }

    private func read(_ descriptor: Int32) -> ReadResult {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            let result = recv(descriptor, buffer.baseAddress, Self.pieceBytes, 0)
            if result < 0 { code = errno }
            count = max(0, result)
        }
        if code == EAGAIN || code == EINTR { return .none }
        if code != 0 { return .failed }
        return bytes.isEmpty ? .ended : .bytes(bytes)
    }
}
