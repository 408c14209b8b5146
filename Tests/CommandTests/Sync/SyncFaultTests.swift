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
}
