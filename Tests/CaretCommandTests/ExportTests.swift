import Foundation
import Testing

@Suite("The files that `caret export` writes", .serialized) struct ExportTests {
    private func text(of path: String, in session: CommandSession) -> String? {
        // Returns nil for a missing file, because some tests expect that.
        try? String(contentsOf: session.folder.appending(path: path), encoding: .utf8)
    }

    private func write(_ text: String, to path: String, in session: CommandSession) throws {
        let file = session.folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func link(_ path: String, to target: String, in session: CommandSession) throws {
        let file = session.folder.appending(path: path).path
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: session.folder.path + "/" + target)
    }

    /// A server that lists these names, and returns the text `evil` for each of them.
    private func fakeServer(_ names: [String], reading name: String = "DOC", in session: CommandSession)
        throws
        -> FakeServer
    {
        let documents = names.map { #"{"doc":"\#($0)","epoch":"e.1","rev":1,"length":4,"updated":0}"# }
        return try FakeServer(
            in: session,
            [
                "list": #""type":"listed","docs":[\#(documents.joined(separator: ","))]"#,
                "read":
                    #""type":"text","doc":\#(name),"epoch":"e.1","rev":1,"text":"evil","newline":"lf""#,
            ])
    }

    @Test("`export` never writes outside its folder, even with --force")
    func escapes() throws {
        let session = try CommandSession(nil)
        let long = String(repeating: "n", count: 256)
        let names = [
            "../up", "a/../../b", "/abs", "a//b", ".", "..", "a/.", "a\\u0000/../../b", "ok", "a/\(long)",
        ]
        let fake = try fakeServer(names, in: session)
        try write("mine", to: "up", in: session)
        for options in [[], ["--force"], ["--force", "--hidden"]] {
            let run = try session.caret(
                ["export", session.folder.path + "/out", "--socket", fake.path] + options)
            #expect(run.status == 1 && run.output.hasSuffix("9 left alone\n"), "\(run)")
            #expect(text(of: "up", in: session) == "mine")
            #expect(text(of: "b", in: session) == nil && text(of: "out/ok", in: session) == "evil")
        }
        let found = try FileManager.default.contentsOfDirectory(atPath: session.folder.path).sorted()
        #expect(found == ["fake.sock", "out", "up"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.folder.path + "/out") == ["ok"])
    }

    @Test("`export` uses the name in the list of documents, not in the answer")
    func otherName() throws {
        let session = try CommandSession(nil)
        let fake = try fakeServer(["ok"], reading: #""../up""#, in: session)
        let run = try session.caret(["export", session.folder.path + "/out", "--socket", fake.path])
        #expect(run.status == 0 && text(of: "up", in: session) == nil, "\(run)")
        #expect(text(of: "out/ok", in: session) == "evil")
    }

    @Test("`export` does not write a document whose name lacks the given prefix")
    func otherPrefix() throws {
        let session = try CommandSession(nil)
        let fake = try fakeServer(["notes/a", "elsewhere/b", "n"], in: session)
        let run = try session.caret(["export", session.folder.path + "/out", "notes", "--socket", fake.path])
        #expect(run.status == 1 && run.output == "1 written, 0 unchanged, 2 left alone\n", "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.folder.path + "/out") == ["a"])
    }

    @Test("`export` follows no links to folders or files in its folder")
    func links() throws {
        let session = try CommandSession()
        for name in ["b", "c", "link/a"] {
            #expect(try session.caret(["put", name, "--create"], input: "new").status == 0)
        }
        for path in ["out/x", "elsewhere/x", "kept"] { try write("kept", to: path, in: session) }
        try link("out/link", to: "elsewhere", in: session)
        try link("out/b", to: "kept", in: session)
        for options in [[], ["--force"]] {
            let run = try session.caret(["export", session.folder.path + "/out"] + options)
            #expect(run.status == 1 && run.output.hasSuffix(" 2 left alone\n"), "\(run)")
            for (name, path) in [("b", "b"), ("link/a", "link")] {
                let reason = "\(path) is a symbolic link; links are not followed"
                #expect(run.errors.contains("caret: \(name): left alone: \(reason)\n"), "\(run)")
            }
            #expect(text(of: "elsewhere/a", in: session) == nil)
            #expect(text(of: "kept", in: session) == "kept" && text(of: "out/c", in: session) == "new")
            // No partial file is left.
            let files = try FileManager.default.contentsOfDirectory(atPath: session.folder.path + "/out")
            #expect(files.sorted() == ["b", "c", "link", "x"])
        }
        // The folder itself can be a link, because the user chose it.
        try FileManager.default.createDirectory(
            at: session.folder.appending(path: "real"), withIntermediateDirectories: true)
        try link("named", to: "real", in: session)
        #expect(try session.caret(["export", session.folder.path + "/named"]).status == 0)
        #expect(text(of: "real/link/a", in: session) == "new")
    }

    @Test("`export` changes no folder, pipe or file that blocks an exported path")
    func obstacles() throws {
        let session = try CommandSession()
        for name in ["folder", "pipe", "file/a"] {
            #expect(try session.caret(["put", name, "--create"], input: "new").status == 0)
        }
        for path in ["out/file", "out/folder/x"] { try write("kept", to: path, in: session) }
        #expect(mkfifo(session.folder.path + "/out/pipe", 0o600) == 0)
        try session.expect(
            """
            $ export DIR/out --force
            0 written, 0 unchanged, 3 left alone
            ! caret: file/a: left alone: DIR/out/file/a: Not a directory
            ! caret: folder: left alone: DIR/out/folder is not a regular file
            ! caret: pipe: left alone: DIR/out/pipe is not a regular file
            [1]
            """)
        for path in ["out/file", "out/folder/x"] { #expect(text(of: path, in: session) == "kept") }
    }

    @Test("names that begin with a dot are exported only with --hidden")
    func hidden() throws {
        let session = try CommandSession()
        for name in [".env", "a/.b/c", "a/d"] {
            #expect(try session.caret(["put", name, "--create"], input: "x").status == 0)
        }
        try session.expect(
            """
            $ export DIR/out
            1 written, 0 unchanged, 2 left alone
            ! caret: .env: left alone: a part of its name begins with a dot; pass --hidden to export it
            ! caret: a/.b/c: left alone: a part of its name begins with a dot; pass --hidden to export it
            [1]
            """)
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.folder.path + "/out") == ["a"])
        try session.expect("$ export DIR/out --hidden\n2 written, 1 unchanged, 0 left alone")
        #expect(text(of: "out/a/.b/c", in: session) == "x")
    }
}
