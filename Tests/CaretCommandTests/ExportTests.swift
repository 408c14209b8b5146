import Foundation
import Testing

@Suite("The files of caret export", .serialized) struct ExportTests {
    private func text(of path: String, in stand: Stand) -> String? {
        // Nil for a missing file is what the tests expect.
        try? String(contentsOf: stand.folder.appending(path: path), encoding: .utf8)
    }

    private func write(_ text: String, to path: String, in stand: Stand) throws {
        let file = stand.folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func link(_ path: String, to target: String, in stand: Stand) throws {
        let file = stand.folder.appending(path: path).path
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: stand.folder.path + "/" + target)
    }

    /// A server that lists these names, and returns the text `evil` for each of them.
    private func liar(_ names: [String], reading name: String = "DOC", in stand: Stand) throws -> LyingServer
    {
        let documents = names.map { #"{"doc":"\#($0)","epoch":"e.1","rev":1,"length":4,"updated":0}"# }
        return try LyingServer(
            in: stand,
            [
                "list": #""type":"listed","docs":[\#(documents.joined(separator: ","))]"#,
                "read":
                    #""type":"text","doc":\#(name),"epoch":"e.1","rev":1,"text":"evil","newline":"lf""#,
            ])
    }

    @Test("names that lead out of the folder are left alone, also with --force")
    func escapes() throws {
        let stand = try Stand(nil)
        let long = String(repeating: "n", count: 256)
        let names = [
            "../up", "a/../../b", "/abs", "a//b", ".", "..", "a/.", "a\\u0000/../../b", "ok", "a/\(long)",
        ]
        let liar = try liar(names, in: stand)
        try write("mine", to: "up", in: stand)
        for options in [[], ["--force"], ["--force", "--hidden"]] {
            let run = try stand.caret(
                ["export", stand.folder.path + "/out", "--socket", liar.path] + options)
            #expect(run.status == 1 && run.output.hasSuffix("9 left alone\n"), "\(run)")
            #expect(text(of: "up", in: stand) == "mine")
            #expect(text(of: "b", in: stand) == nil && text(of: "out/ok", in: stand) == "evil")
        }
        let found = try FileManager.default.contentsOfDirectory(atPath: stand.folder.path).sorted()
        #expect(found == ["liar.sock", "out", "up"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: stand.folder.path + "/out") == ["ok"])
    }

    @Test("a file has the listed name, whatever name the text has")
    func otherName() throws {
        let stand = try Stand(nil)
        let liar = try liar(["ok"], reading: #""../up""#, in: stand)
        let run = try stand.caret(["export", stand.folder.path + "/out", "--socket", liar.path])
        #expect(run.status == 0 && text(of: "up", in: stand) == nil, "\(run)")
        #expect(text(of: "out/ok", in: stand) == "evil")
    }

    @Test("a name that does not begin with the prefix is left alone")
    func otherPrefix() throws {
        let stand = try Stand(nil)
        let liar = try liar(["notes/a", "elsewhere/b", "n"], in: stand)
        let run = try stand.caret(["export", stand.folder.path + "/out", "notes", "--socket", liar.path])
        #expect(run.status == 1 && run.output == "1 written, 0 unchanged, 2 left alone\n", "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stand.folder.path + "/out") == ["a"])
    }

    @Test("links to folders and files in the folder are not followed")
    func links() throws {
        let stand = try Stand()
        for name in ["b", "c", "link/a"] {
            #expect(try stand.caret(["put", name, "--create"], input: "new").status == 0)
        }
        for path in ["out/x", "elsewhere/x", "kept", "other"] { try write("kept", to: path, in: stand) }
        try link("out/link", to: "elsewhere", in: stand)
        try link("out/b", to: "kept", in: stand)
        try link("out/c.caret-partial", to: "other", in: stand)
        for options in [[], ["--force"]] {
            let run = try stand.caret(["export", stand.folder.path + "/out"] + options)
            #expect(run.status == 1 && run.output.hasSuffix(" 2 left alone\n"), "\(run)")
            #expect(text(of: "elsewhere/a", in: stand) == nil)
            #expect(text(of: "kept", in: stand) == "kept" && text(of: "other", in: stand) == "kept")
            #expect(text(of: "out/c", in: stand) == "new")
        }
        // The folder itself can be a link, because the user chose it.
        try FileManager.default.createDirectory(
            at: stand.folder.appending(path: "real"), withIntermediateDirectories: true)
        try link("named", to: "real", in: stand)
        #expect(try stand.caret(["export", stand.folder.path + "/named"]).status == 0)
        #expect(text(of: "real/link/a", in: stand) == "new")
    }

    @Test("names that begin with a dot are left alone, unless --hidden is given")
    func hidden() throws {
        let stand = try Stand()
        for name in [".env", "a/.b/c", "a/d"] {
            #expect(try stand.caret(["put", name, "--create"], input: "x").status == 0)
        }
        try stand.expect(
            """
            $ export DIR/out
            1 written, 0 unchanged, 2 left alone
            ! caret: .env: left alone: a part of its name begins with a dot; pass --hidden to export it
            ! caret: a/.b/c: left alone: a part of its name begins with a dot; pass --hidden to export it
            [1]
            """)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stand.folder.path + "/out") == ["a"])
        try stand.expect("$ export DIR/out --hidden\n2 written, 1 unchanged, 0 left alone")
        #expect(text(of: "out/a/.b/c", in: stand) == "x")
    }
}
