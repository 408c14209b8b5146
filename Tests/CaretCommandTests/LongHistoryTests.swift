import Foundation
import Testing

@Suite("A history with the most edits that a push can make", .serialized) struct LongHistoryTests {
    private static let document = 64 << 10

    /// Two texts of the largest size, which differ in one edit for every four bytes.
    private static let texts = [
        String(repeating: "a\n", count: document / 2), String(repeating: "b\na\n", count: document / 4),
    ]

    @Test("`show`, `log`, `blame`, `restore` and others read the largest pushes")
    func commands() throws {
        let session = try CommandSession(["--limit-document", "\(Self.document)"])
        for (index, text) in Self.texts.enumerated() {
            let put = try session.caret(["put", "d", "--create", "--print"], input: text)
            #expect(put.status == 0 && put.output == text, "revision \(index + 1): \(put.errors)")
        }
        let archive = session.folder.path + "/d.caret-archive"
        for arguments in [
            ["show", "d@2"], ["log", "d"], ["blame", "d"], ["restore", "d@1"], ["show", "d@3"],
            ["restore", "d@2"], ["export", archive], ["export", session.folder.path + "/files"],
        ] {
            let run = try session.caret(arguments)
            #expect(run.status == 0, "\(arguments): \(run.errors.prefix(500))")
        }
        for (revision, text) in [(1, 0), (2, 1), (3, 0), (4, 1)] {
            let cat = try session.caret(["cat", "d@\(revision)"])
            #expect(cat.output == Self.texts[text], "revision \(revision): \(cat.errors)")
        }
        let other = session.folder.path + "/other"
        let taken = try session.caret(["import", archive, "--data", other])
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(try session.caret(["cat", "d@2", "--data", other]).output == Self.texts[1])
    }
}
