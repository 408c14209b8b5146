import Foundation
import Glibc
import Synchronization

/// A fake server on a socket. A test defines its answers, which can be wrong.
///
///     let fake = try FakeServer(in: session, ["list": #""type":"listed","docs":[]"#])
///     try session.caret(["ls", "--socket", fake.path])
///
/// Each answer is for one type of request. It is written without braces and id. `DOC` in an answer is the
/// document of the request, and `AFTER` the number after which its page begins. If a type has several answers, each is sent once, and the last one repeatedly.
/// An empty answer closes the connection.
final class FakeServer: Sendable {
    let path: String
    private let socket: Int32

    private static let welcome = #"""
        "type":"welcome","protocol":1,"unit":"utf-16","server":"fake","user":"admin","client":"p-1","features":[],"limits":{},"ping":20
        """#

    convenience init(in session: CommandSession, _ answers: [String: String]) throws {
        try self.init(in: session, inTurn: answers.mapValues { [$0] })
    }

    init(in session: CommandSession, inTurn answers: [String: [String]]) throws {
        path = session.folder.path + "/fake.sock"
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(socket, 8) == 0 else { throw CommandSession.DidNotStart(output: path) }
        FakeServer.run(socket, Answers(answers.merging(["hello": [FakeServer.welcome]]) { own, _ in own }))
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    private static func run(_ socket: Int32, _ answers: Answers) {
        Thread.detachNewThread {
            while true {
                let connection = accept(socket, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread { serve(connection, answers) }
            }
        }
    }

    private static func serve(_ connection: Int32, _ answers: Answers) {
        let handle = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
        var said = Data()
        while true {
            let more = handle.availableData
            if more.isEmpty { return }
            said += more
            while let end = said.firstIndex(of: 0x0A) {
                let line = String(decoding: said[said.startIndex..<end], as: UTF8.self)
                said = said[(end + 1)...]
                guard let answer = answer(to: line, answers) else { continue }
                if answer.isEmpty { return }
                // A closed connection needs no answer.
                do { try handle.write(contentsOf: Data(answer.utf8)) } catch { return }
            }
        }
    }

    private static func answer(to line: String, _ answers: Answers) -> String? {
        guard let type = line.firstMatch(of: /"type":"([a-z_]+)"/)?.1 else { return nil }
        guard let answer = answers.next(for: String(type)) else { return nil }
        if answer.isEmpty { return "" }
        let id = line.firstMatch(of: /"id":(\d+)/).map { #""id":\#($0.1),"# } ?? ""
        let document = line.firstMatch(of: /"doc":("(?:[^"\\]|\\.)*")/).map { String($0.1) } ?? "\"\""
        let after = line.firstMatch(of: /"after":(\d+)/).map { String($0.1) } ?? "0"
        return "{" + id + answer.replacing("DOC", with: document).replacing("AFTER", with: after) + "}\n"
    }
}

/// The remaining answers by type of request.
private final class Answers: Sendable {
    private let left: Mutex<[String: [String]]>

    init(_ answers: [String: [String]]) { left = Mutex(answers) }

    func next(for type: String) -> String? {
        left.withLock { left in
            guard let answers = left[type], let next = answers.first else { return nil }
            if answers.count > 1 { left[type]?.removeFirst() }
            return next
        }
    }
}
