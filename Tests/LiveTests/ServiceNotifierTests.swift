import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Reports to a service manager", .onOwnThread) struct ServiceNotifierTests {
    /// The socket of a service manager.
    private final class Manager {
        /// As written in NOTIFY_SOCKET.
        let name: String
        private let descriptor: Int32

        /// `@` at the beginning of the name means an abstract socket.
        init(at name: String) throws {
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            if descriptor < 0 { throw SystemFailure("socket", errno) }
            // A test that waits in vain fails instead of waiting forever.
            var wait = timeval(tv_sec: 60, tv_usec: 0)
            let size = socklen_t(MemoryLayout.size(ofValue: wait))
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(2 + bytes.count))
                }
            }
            if code != 0 { throw SystemFailure("bind", errno) }
        }

        deinit { close(descriptor) }

        /// The lines of the next report.
        func next() throws -> [String] {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0 { throw SystemFailure("recv", errno) }
            return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func server(notifying name: String, in scratch: Scratch? = nil) throws -> LiveServer {
        try LiveServer(in: scratch, through: ["/usr/bin/env", "NOTIFY_SOCKET=\(name)"])
    }

    @Test("the start, a reload and the stop are reported", arguments: [false, true])
    func reports(isAbstract: Bool) throws {
        let scratch = try Scratch.inMemory()
        let manager = try Manager(at: (isAbstract ? "@" : "") + scratch.path + "/notify")
        let server = try server(notifying: manager.name, in: scratch)
        #expect(try manager.next() == ["READY=1", "STATUS=Ready"])
        server.program.kill(SIGHUP)
        let reload = try manager.next()
        #expect(reload.first == "RELOADING=1" && reload.last == "STATUS=Reloading the configuration")
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let time = try #require(reload[1].parts(around: "MONOTONIC_USEC=").flatMap { Int($0.1) })
        #expect(time > 0 && time <= now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)
        #expect(try manager.next() == ["READY=1", "STATUS=Ready"])
        server.program.kill(SIGTERM)
        #expect(try manager.next() == ["STOPPING=1", "STATUS=Stopping"])
        #expect(try server.program.waitForExit().status == 0)
    }

    @Test("a failed reload is reported, and the server is ready again")
    func failedReload() throws {
        let scratch = try Scratch.inMemory()
        let manager = try Manager(at: scratch.path + "/notify")
        let path = scratch.path + "/caret.json5"
        try "{}".write(toFile: path, atomically: true, encoding: .utf8)
        let server = try LiveServer(
            ["--config": path], in: scratch, through: ["/usr/bin/env", "NOTIFY_SOCKET=\(manager.name)"])
        _ = try manager.next()
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        server.program.kill(SIGHUP)
        #expect(try manager.next().first == "RELOADING=1")
        #expect(
            try manager.next() == [
                "READY=1", "STATUS=Ready; the last reload failed, and the log says why (reload_failed)",
            ])
    }

    @Test(
        "a socket that cannot be used is logged, and the server runs",
        arguments: [
            ("/none/notify", ENOENT), ("none", EAFNOSUPPORT), ("@caret-none-\(UInt64.max)", ECONNREFUSED),
            ("/" + String(repeating: "a", count: 150), ENAMETOOLONG),
        ])
    func unusable(name: String, code: Int32) throws {
        let scratch = try Scratch.inMemory()
        let server = try server(notifying: name, in: scratch)
        try server.waitForLog(" warning event=notify_failed path=\(name) errno=\(code)")
        try LineClient(server).greet(as: "ann-client")
        #expect(try server.stop().status == 0)
    }
}
