import Foundation
import Testing

@testable import caret

@Suite("Synced folders, where something is not as it should be", .serialized) struct SyncFaultTests {
    @Test("a server that comes back without the documents ends the sync with words, and no file is touched")
    func otherServer() throws {
        let folders = try SyncedFolders(["ann"])
        for key in [SyncedFolders.server, "ann"] { try folders.start(key) }
        let texts = ["one": "1\n", "two": "2\n"]
        for (path, text) in texts { try folders.save(text, to: path, in: "ann", 1) }
        try folders.waits {
            try texts.keys.allSatisfy { try folders.said("ann").contains("\($0) → revision 1") }
        }
        folders.kill(SyncedFolders.server)
        try FileManager.default.removeItem(at: folders.root.appending(path: "data"))
        try folders.start(SyncedFolders.server)
        #expect(try folders.ended("ann") == 1)
        let said = try folders.complained("ann")
        let words = """
            caret: \(folders.folder("ann").path): the server has none of the 2 documents that were synced
              is it the right one? To make them all anew, remove the folder .caret in it

            """
        #expect(said.hasSuffix(words), "\(said)")
        #expect(folders.texts(in: "ann") == texts)
    }

    @Test("what is behind a link, or behind a file, is left alone, even by a rename")
    func links() throws {
        let stand = try Stand()
        let (notes, outside) = (
            stand.folder.appending(path: "notes"), stand.folder.appending(path: "outside")
        )
        let files = FileManager.default
        for folder in [notes, outside] {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try "mine\n".write(to: outside.appending(path: "a"), atomically: true, encoding: .utf8)
        try files.createSymbolicLink(at: notes.appending(path: "link"), withDestinationURL: outside)
        try stand.expect(
            """
            $ put n/link/a --create << theirs⏎
            n/link/a: saved as revision 1
            $ put n/link/b --create << new⏎
            n/link/b: saved as revision 1
            $ put n/plain --create << text⏎
            n/plain: saved as revision 1
            $ put n/plain/c --create << text⏎
            n/plain/c: saved as revision 1
            $ put n/d --create << text⏎
            n/d: saved as revision 1
            """)
        let leftAlone = [
            "link left alone: it is no plain file",
            "link/a left alone: link is no folder here, and links are not followed",
            "link/b left alone: link is no folder here, and links are not followed",
            "plain/c left alone: plain is no folder here, and links are not followed",
        ]
        let written = ["d ← revision 1 by anonymous", "plain ← revision 1 by anonymous"]
        #expect(try once(stand) == (leftAlone + written).sorted())
        try stand.expect("$ mv n/d n/link/d\nn/d is now n/link/d")
        let renamed = "link/d left alone: link is no folder here, and links are not followed"
        #expect(try once(stand) == (leftAlone + [renamed, "d ← deleted"]).sorted())
        #expect(try stand.caret(["cat", "n/link/a"]).output == "theirs\n")
        #expect(try files.contentsOfDirectory(atPath: outside.path) == ["a"])
        #expect(try String(contentsOf: outside.appending(path: "a"), encoding: .utf8) == "mine\n")
    }

    /// What a sync of the stand's folder says, in an order of its own: files that must rest first take their time.
    private func once(_ stand: Stand) throws -> [String] {
        let run = try stand.caret(["sync", stand.folder.path + "/notes", "n", "--once"])
        return run.output.split(separator: "\n").map(String.init).sorted()
    }
}
