import Foundation
import TestSupport
import Testing

@Suite("`caret` with the addresses of several servers", .serialized) struct SeveralServersTests {
    @Test("if no server can be reached, the error has each address with its reason, in the order of the list")
    func noServer() throws {
        try CommandSession(nil).expect(
            """
            $ ls --server 127.0.0.1:2,DIR/none,127.0.0.1:1
            ! caret: no server can be reached: 127.0.0.1:2: Connection refused; DIR/none: No such file or directory; 127.0.0.1:1: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            $ top --server 127.0.0.1:2,127.0.0.1:1
            ! caret: no server can be reached: 127.0.0.1:2: Connection refused; 127.0.0.1:1: Connection refused
            !   start caretd, or pass its address with --server, --socket or --data
            [3]
            $ tail -f a --json --server 127.0.0.1:2,127.0.0.1:1
            ! {"error":"no server can be reached: 127.0.0.1:2: Connection refused; 127.0.0.1:1: Connection refused","advice":"start caretd, or pass its address with --server, --socket or --data","code":3}
            [3]
            $ ls --server 127.0.0.1:1,,DIR/none
            ! caret: ls: --server, address 2 of 3: found "", expected HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path
            !   run: caret help ls
            [2]
            """)
    }

    @Test("a command uses a server that can be reached, wherever it is in the list")
    func oneServer() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << one⏎\na: saved as revision 1")
        let missing = ["127.0.0.1:1", session.folder.path + "/none"]
        for index in 0...2 {
            var list = missing
            list.insert(session.address, at: index)
            let servers = list.joined(separator: ", ")
            #expect(try session.caret(["cat", "a", "--server", servers]).output == "one\n")
            let run = try session.caret(["ping"], environment: ["CARET_SERVER": servers])
            #expect(run.output.hasPrefix("\(session.address): caret/"), "\(run)")
        }
    }

    @Test("if a server refuses the client, the other servers are not tried")
    func refused() throws {
        let session = try CommandSession(["--require-tokens=true"])
        let port = session.address.split(separator: ":").last ?? ""
        let list = "127.0.0.1:\(port),localhost:\(port)"
        try session.expect(
            """
            $ ls --server \(list)
            ! caret: \(list): the server requires a token
            !   set CARET_TOKEN; on the server's machine --data … needs no token
            [1]
            $ ls --token caret_1_no --server \(list)
            ! caret: the server refused this client: the token is unknown or was revoked (unauthorized)
            !   set CARET_TOKEN to a valid token; on the server's machine --data … needs no token
            [1]
            """)
    }

    /// Without PostgreSQL on this machine, `PostgresStoreTests` has a failing test that says so.
    @Test(
        "`tail -f` and single commands go on at another server while the servers are restarted",
        .enabled(if: (try? PostgresCluster.shared.get()) != nil))
    func rollingRestart() throws {
        let store = try PostgresCluster.shared.get().newAddress()
        let options = ["a", "b"].map { ["--store", store, "--node", $0, "--allow-unreplicated=true"] }
        let sessions = try options.map { try CommandSession($0) }
        // The path of a socket stays the same when its server starts again.
        let list = sessions.map { $0.data + "/caretd.sock" }.joined(separator: ",")
        func put(_ text: String) throws {
            let run = try sessions[0].caret(["put", "a", "--create", "--server", list], input: text)
            #expect(run.status == 0, "\(run)")
        }
        try put("0\n")
        let tail = try LastingCommand(["tail", "-f", "a", "-n", "1", "--json", "--server", list])
        #expect(tail.next()?.hasPrefix(#"{"rev":1,"#) == true)
        for round in 1...4 {
            let stopped = round % 2
            sessions[stopped].stop()
            try put("\(round)\n")
            let line = tail.next()
            #expect(line?.hasPrefix(#"{"rev":\#(round + 1),"#) == true, "\(line ?? "no line")")
            try sessions[stopped].start(options[stopped])
        }
    }
}

/// A run of `caret` that ends with the test.
private final class LastingCommand {
    private let program: ChildProgram
    private let lines: ReceivedLines

    init(_ arguments: [String]) throws {
        program = try ChildProgram(
            [ChildProgram.path(of: "caret")] + arguments, environment: Run.surroundings, input: .nothing,
            output: .pipe)
        lines = ReceivedLines(of: program.output)
    }

    /// The next line, or nil if none comes in time.
    func next() -> String? { lines.next().map { String(decoding: $0, as: UTF8.self) } }
}
