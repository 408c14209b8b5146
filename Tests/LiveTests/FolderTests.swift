import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The data folder of a running server", .onOwnThread) struct FolderTests {
    /// What the test does to the folder of a running server.
    enum Deed: CaseIterable {
        case removed, movedAway, replaced, databaseRemoved, logRemoved, databaseReplaced
    }

    @Test(
        "a server logs that its files were removed, and acks no more pushes", arguments: Deed.allCases,
        Transport.lines(and: .webSocket))
    func lost(deed: Deed, transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let ann = try server.connect()
        try ann.greet(as: "ann-client")
        try ann.send(#"{"type":"push","doc":"notes","base":0,"seq":1,"text":"one","create":true}"#)
        try ann.expect(#"{"type":"ack","doc":"notes","seq":1,…"rev":1,…"#)
        try ann.send(#"{"type":"open","doc":"notes"}"#)
        try ann.expect(#"{"type":"opened","doc":"notes",…"#)
        try perform(deed, server.dataPath)
        try ann.send(#"{"type":"push","doc":"other","base":0,"seq":1,"text":"two","create":true}"#)
        try ann.expect(#"{"type":"error","doc":"other","seq":1,"code":"storage_failed",…"#)
        try server.waitForLog(#/ error event=data_lost path=/#)
        // The files are lost, but clients can still read the text of an open document and save it elsewhere.
        try ann.send(#"{"type":"read","doc":"notes"}"#)
        try ann.expect(#"{"type":"text","doc":"notes",…,"text":"one",…"#)
        try ann.endOutput()
        #expect(try server.stop().status == 1)
    }

    @Test("a server notices removed files even if no client pushes")
    func lostInSilence() throws {
        let server = try LiveServer()
        try FileManager.default.removeItem(atPath: server.dataPath)
        try server.waitForLog(#/ error event=data_lost path=/#)
    }

    private func perform(_ deed: Deed, _ data: String) throws {
        let files = FileManager.default
        switch deed {
        case .removed: try files.removeItem(atPath: data)
        case .movedAway: try files.moveItem(atPath: data, toPath: data + ".old")
        case .replaced:
            try files.moveItem(atPath: data, toPath: data + ".old")
            try files.copyItem(atPath: data + ".old/caret.sqlite", toPath: data + ".copy")
            try files.createDirectory(atPath: data, withIntermediateDirectories: false)
            try files.moveItem(atPath: data + ".copy", toPath: data + "/caret.sqlite")
        case .databaseRemoved: try files.removeItem(atPath: data + "/caret.sqlite")
        case .logRemoved: try files.removeItem(atPath: data + "/caret.sqlite-wal")
        case .databaseReplaced:
            try files.copyItem(atPath: data + "/caret.sqlite", toPath: data + "/copy")
            #expect(rename(data + "/copy", data + "/caret.sqlite") == 0)
        }
    }

    @Test("the log warns if other users can read the data folder")
    func openToOthers() throws {
        for (mode, isNamed) in [(0o700, false), (0o750, true), (0o705, true)] as [(mode_t, Bool)] {
            let scratch = try Scratch.inMemory()
            let data = scratch.path + "/data"
            #expect(mkdir(data, 0o700) == 0 && chmod(data, mode) == 0)
            let program = try Program(LiveServer.command([:], in: scratch))
            var logLines: [String] = []
            while let line = try program.errors.next() {
                logLines.append(line)
                if line.hasSuffix(" event=ready") { break }
            }
            #expect(
                logLines.contains { $0.contains(" warning event=data_readable path=") } == isNamed,
                "\(logLines)")
            program.kill(SIGTERM)
            _ = try program.waitForExit()
        }
    }
}
