import Foundation
import TestSupport
import Testing

@Suite("Editing the files of a synced folder with vim") struct SyncVimTests {
    /// Opens a synced file with the line `milk` in vim; then another user adds a line.
    private func vim(
        _ body: (_ folders: SyncedFolders, _ screen: TerminalScreen) throws -> Void
    ) throws {
        let folders = try SyncedFolders(["ann"])
        for key in [SyncedFolders.server, "ann"] { try folders.start(key) }
        try folders.save("milk\n", to: "list", in: "ann", 1)
        try folders.waits { try folders.output("ann").contains("list → revision 1") }
        let file = folders.folder("ann").path + "/list"
        let session = try CommandSession(nil)
        let screen = try TerminalScreen(running: ["vi", "-u", "NONE", "-N", "-n", file], on: session)
        try screen.waits { $0.hasPrefix("milk") }
        let put = try Run(
            ChildProgram.path(of: "caret"), ["put", "list", "--data", folders.root.path + "/data"],
            input: "milk\nbread and butter\n", environment: [:])
        #expect(put.status == 0, "\(put)")
        try folders.waits { folders.texts(in: "ann")["list"] == "milk\nbread and butter\n" }
        // The screen uses the folder of `session`, so `session` must stay alive.
        try withExtendedLifetime(session) { try body(folders, screen) }
    }

    @Test("vim overwrites a changed file, and the other user's line stays")
    func written() throws {
        try vim { folders, screen in
            try screen.press("o", "o", "a", "t", "s", "Escape")
            try screen.type(":w")
            try screen.waits { $0.contains("(y/n)") }
            try screen.press("y")
            try folders.waits { try folders.output("ann").contains("list → revision 3") }
            try folders.waits { folders.texts(in: "ann")["list"]?.contains("bread") == true }
            let lines = folders.texts(in: "ann")["list"].map { $0.split(separator: "\n").sorted() }
            #expect(lines == ["bread and butter", "milk", "oats"])
        }
    }

    @Test("a line that vim read and the user deleted stays deleted")
    func deleted() throws {
        try vim { folders, screen in
            try screen.type(":e!")
            try screen.waits { $0.contains("bread and butter") }
            try screen.press("G", "d", "d")
            try screen.type(":w")
            try folders.waits { try folders.output("ann").contains("list → revision 3") }
            #expect(folders.texts(in: "ann")["list"] == "milk\n")
        }
    }
}
