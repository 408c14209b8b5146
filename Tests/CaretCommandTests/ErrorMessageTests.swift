import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Error messages of `caret`", .serialized) struct ErrorMessageTests {
    @Test("an error for a too early time names this time and the first revision's")
    func beforeTheBeginning() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ put agenda --create << one⏎
            agenda: saved as revision 1
            $ cat agenda@2h
            ! caret: agenda: the document had no text yet at …; its first revision is from …
            !   `caret log agenda` lists its revisions; agenda@0 is the empty text before the first one
            [1]
            $ cat agenda@2020-01-01 --json
            ! {"error":"agenda: the document had no text yet at 2020-01-01 00:00:00; its first revision is from …","advice":"…","code":1}
            [1]
            $ diff agenda@2h
            ! caret: agenda: the document had no text yet at …; its first revision is from …
            !   `caret log agenda` lists its revisions; agenda@0 is the empty text before the first one
            [1]
            $ restore agenda@2h
            ! caret: agenda: the document had no text yet at …; its first revision is from …
            !   `caret log agenda` lists its revisions; agenda@0 is the empty text before the first one
            [1]
            $ cat agenda@0
            $ trim agenda --before 30d -y
            agenda: unchanged: its history begins at revision 0
            $ cat agenda@2020-01-01T10:00+01:00
            ! caret: agenda: the document had no text yet at 2020-01-01 09:00:00; its first revision is from …
            !   `caret log agenda` lists its revisions; agenda@0 is the empty text before the first one
            [1]
            """)
        // In summer the clocks of this time zone are one hour ahead.
        let summer = try session.caret(
            ["cat", "agenda@2020-07-01T10:00"], environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
        #expect(summer.errors.contains("had no text yet at 2020-07-01 10:00:00; "), "\(summer)")
    }

    @Test("output that cannot be written is an error")
    func fullOutput() throws {
        let run = try CommandSession(nil).shell("caret --version >/dev/full")
        #expect(
            run.status == 1 && run.errors == "caret: the output could not be written completely\n", "\(run)")
    }

    @Test("`put` names the first byte of standard input that is not UTF-8")
    func notText() throws {
        let session = try CommandSession()
        let run = try session.shell("printf 'a\\377' | caret put a --create")
        let reason = "caret: standard input: not UTF-8 text: invalid at byte 1\n"
        #expect(run.status == 1 && run.errors.hasPrefix(reason), "\(run)")
        try session.expect(
            """
            $ put a - --create << x⏎
            a: saved as revision 1
            $ put nope --create --base 1 << x
            ! caret: nope: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
    }

    @Test(
        "`verify` exits with 4 for a truncated file or a damaged first page",
        arguments: [
            "cut to 0", "cut to 50", "cut to 100", "cut to 5000", "cut to half", "name", "size", "page",
        ])
    func damagedFile(damage: String) throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << one⏎\na: saved as revision 1")
        session.stop()
        let backup = session.folder.path + "/copy"
        #expect(try session.caret(["backup", backup, "--data", session.data]).status == 0)
        for path in [session.data + "/caret.sqlite", backup] {
            var bytes = try Data(contentsOf: URL(filePath: path))
            switch damage {
            case "name": bytes[3] ^= 1
            case "size": bytes[16] ^= 1
            case "page": for index in 100..<4_000 { bytes[index] ^= 0x55 }
            case "cut to half": bytes = bytes.prefix(bytes.count / 2)
            case let cut: bytes = bytes.prefix(Int(cut.split(separator: " ")[2]) ?? 0)
            }
            try bytes.write(to: URL(filePath: path))
        }
        for words in [["verify", "--data", session.data], ["verify", backup]] {
            let run = try session.caret(words)
            #expect(run.status == 4, "\(words): \(run)")
            let json = try session.caret(words + ["--json"])
            #expect(json.status == 4 && json.output.hasPrefix(#"{"sound":false,"#), "\(words): \(json)")
        }
        #expect(try session.caret(["verify", session.folder.path + "/none"]).status == 1)
    }

    @Test("a missing token is reported as required, a wrong token as unknown")
    func token() throws {
        let session = try CommandSession(["--require-tokens=true"])
        try session.expect(
            """
            $ ls
            ! caret: 127.0.0.1:…: the server requires a token
            !   set CARET_TOKEN; on the server's machine --data … needs no token
            [1]
            $ ls --token caret_1_no
            ! caret: the server refused this client: the token is unknown or was revoked (unauthorized)
            !   set CARET_TOKEN to a valid token; on the server's machine --data … needs no token
            [1]
            $ watch a --json
            ! {"error":"watch needs a terminal","advice":"use `caret tail -f` instead","code":1}
            [1]
            $ sync DIR/folder --once
            ! caret: 127.0.0.1:…: the server requires a token
            !   set CARET_TOKEN; on the server's machine --data … needs no token
            [1]
            """)
    }

    @Test("with --json each error is one line of JSON on standard error")
    func json() throws {
        let session = try CommandSession()
        try session.expect(
            """
            $ cat nope --json
            ! {"error":"nope: there is no such document (not_found)","advice":"`caret ls` lists the documents that you may read","code":1}
            [1]
            $ cta --json
            ! {"error":"unknown subcommand \\"cta\\"; did you mean cat?","advice":"run: caret help","code":2}
            [2]
            $ log a --json -n 0
            ! {"error":"log: --limit: found \\"0\\", expected a whole number from 1","advice":"run: caret help log","code":2}
            [2]
            $ --json
            ! {"error":"no subcommand given","advice":"run: caret help","code":2}
            [2]
            $ put a DIR/none --json
            ! {"error":"DIR/none: cannot be read: No such file or directory","advice":null,"code":1}
            [1]
            $ cat -- --json
            ! caret: --json: there is no such document (not_found)
            !   `caret ls` lists the documents that you may read
            [1]
            """)
        try Data([0xFF]).write(to: session.folder.appending(path: "bad"))
        let folder = session.folder.appending(path: "in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([0xFF]).write(to: folder.appending(path: "bad"))
        try session.expect(
            """
            $ import DIR/in --json
            {"saved":0,"unchanged":0,"left_alone":[{"name":"bad","reason":"…"}]}
            ! {"error":"bad: left alone: …","advice":null,"code":1}
            [1]
            """)
        session.stop()
        let run = try session.caret(["ls", "--json"])
        #expect(run.status == 3 && run.errors.hasPrefix(#"{"error":"127.0.0.1:"#), "\(run)")
        #expect(run.errors.hasSuffix(#","code":3}"# + "\n"), "\(run)")
    }

    @Test("caret without arguments prints the short usage")
    func usage() throws {
        let run = try CommandSession(nil).caret([])
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.first == "usage: caret SUBCOMMAND [arguments] [options]", "\(run)")
        #expect(lines.count <= 14 && run.errors.contains("caret help"), "\(run)")
        // Every subcommand is listed, so that users find it without more help.
        let words = Set(run.errors.split { $0.isWhitespace || $0 == "," }.map(String.init))
        for name in ["cat", "put", "ls", "edit", "watch", "sync", "export", "verify", "token"] {
            #expect(words.contains(name), "\(name)")
        }
    }

    @Test("if the parent folder is not accessible, the error names no owner", .enabled(if: geteuid() == 0))
    func permissionAbove() throws {
        let session = try CommandSession(nil)
        let data = session.folder.path + "/private/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        #expect(chmod(session.folder.path + "/private", 0o700) == 0)
        let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let run = try Run(
            "/usr/bin/env", asNobody + [ChildProgram.path(of: "caret"), "ls", "--data", data],
            environment: [:])
        let message = "caret: \(data): permission denied\n  run caret as the user that runs the server\n"
        #expect(run.status == 1 && run.errors == message, "\(run)")
    }

    @Test(
        "permission denied on a data folder is reported with its owner",
        .enabled(if: geteuid() == 0))
    func permission() throws {
        let session = try CommandSession()
        try session.expect("$ put a --create << one⏎\na: saved as revision 1")
        let caret = ChildProgram.path(of: "caret")
        // Runs caret as another user than the owner of the data folder.
        let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", caret]
        for isRunning in [true, false] {
            if !isRunning { session.stop() }
            for words in [["ls"], ["verify"], ["backup", "/tmp/none/copy"]] {
                let run = try Run(
                    "/usr/bin/env", asNobody + words + ["--data", session.data], environment: [:])
                #expect(run.status == 1, "\(words): \(run)")
                #expect(
                    run.errors.hasPrefix(
                        "caret: \(session.data): permission denied: it belongs to the user root"),
                    "\(words): \(run)")
                #expect(run.errors.contains("sudo -u root caret"), "\(words): \(run)")
            }
        }
    }
}
