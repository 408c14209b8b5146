import CaretServer
import Glibc
import TestSupport
import Testing

@Suite("Sockets that a loop cannot serve")
struct ListenerFaultTests {
    @Test("a listener for a stopped loop reports that, and closes its socket")
    func stoppedLoop() async throws {
        let loop = try Loop(LoopNumber(0))
        await loop.stop()
        let path = temporaryPath()
        await #expect(throws: ListenFault.stopped) {
            try await Listener.listen(at: .unix(path: path), spreadOver: [loop]) { _ in EchoHandler() }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("if a loop cannot watch a listening socket, the socket is closed")
    func unwatchableListener() async {
        // The test runs in its own process, because it looks for descriptors.
        await #expect(processExitsWith: .success) {
            let loop = try Loop(LoopNumber(0))
            var counts: Set<Int> = []
            for _ in 0..<2 {
                let path = temporaryPath()
                loop.post { _ in replaceListeningSocket(at: .unix(path: path)) }
                do throws(ListenFault) {
                    _ = try await Listener.listen(at: .unix(path: path), spreadOver: [loop]) { _ in
                        EchoHandler()
                    }
                    exit(2)
                } catch {
                    guard error == .system(SystemFault("epoll_ctl", code: EPERM)) else { exit(3) }
                }
                guard access(path, F_OK) != 0 else { exit(4) }
                counts.insert(leastDescriptors())
            }
            exit(counts.count == 1 ? 0 : 5)
        }
    }

    @Test("if a loop cannot watch an accepted socket, it is closed and refused")
    func unwatchableConnection() async {
        await #expect(processExitsWith: .success) {
            let refusals = Shared(0)
            var settings = LoopSettings()
            settings.refused = { _ in refusals.change { $0 += 1 } }
            let loop = try Loop(LoopNumber(0), settings)
            // A loop cannot watch a folder.
            let folder = open("/", O_RDONLY | O_CLOEXEC)
            let isRefused = await loop.result { sockets in
                let accepted = AcceptedSocket(folder, peer: .unix(path: ""))
                return sockets.adopt(accepted) { _ in EchoHandler() } == nil && sockets.connections.isEmpty
            }
            guard isRefused == true, refusals.value == 1 else { exit(2) }
            guard fcntl(folder, F_GETFD) < 0 else { exit(3) }
            let counters = await loop.result { $0.counters }
            guard counters?.refused == 1, counters?.opened == 0 else { exit(4) }
            await loop.stop()
            exit(0)
        }
    }
}

/// Waits until a socket listens at the address, and replaces it by a folder, which a loop cannot watch.
private func replaceListeningSocket(at address: SocketAddress) {
    while (try? Client(to: address)) == nil {}
    let folder = open("/", O_RDONLY | O_CLOEXEC)
    for descriptor in Int32(0)..<256 {
        var (isListening, size) = (Int32(0), socklen_t(4))
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        if isListening != 0 { dup2(folder, descriptor) }
    }
    close(folder)
}
