import Foundation
import Testing

@Suite("The lines that `caret sync --json` prints", .serialized) struct SyncJSONTests {
    @Test("each event of a sync is one JSON line; the trash lists deleted files")
    func events() throws {
        let session = try CommandSession()
        let notes = session.folder.appending(path: "notes")
        try session.expect(
            """
            $ put n/a --create << text⏎
            n/a: saved as revision 1
            $ sync DIR/notes n --once --json
            {"event":"syncing","folder":"DIR/notes","server":"127.0.0.1:…","store":"…","prefix":"n/","files":0,"docs":1,"only_here":0,"only_there":1}
            {"event":"written","file":"a","doc":"n/a","rev":1,"by":["anonymous"]}
            """)
        try Data("new\n".utf8).write(to: notes.appending(path: "b"))
        try session.expect(
            """
            $ sync DIR/notes n --once --json
            {"event":"syncing",…,"files":2,"docs":1,"only_here":1,"only_there":0}
            {"event":"pushed","file":"b","doc":"n/b","rev":1}
            """)
        try FileManager.default.moveItem(at: notes.appending(path: "a"), to: notes.appending(path: "c"))
        try session.expect(
            """
            $ sync DIR/notes n --once --json
            {"event":"syncing",…,"files":2,"docs":2,"only_here":1,"only_there":1}
            {"event":"renamed","file":"a","doc":"n/a","to":"c","by":"here"}
            $ mv n/c n/d
            n/c is now n/d
            $ sync DIR/notes n --once --json
            {"event":"syncing",…,"files":2,"docs":2,"only_here":1,"only_there":1}
            {"event":"renamed","file":"c","doc":"n/c","to":"d","by":"elsewhere"}
            $ rm n/d --yes
            n/d is deleted
            """)
        try FileManager.default.removeItem(at: notes.appending(path: "b"))
        try session.expect(
            """
            $ sync DIR/notes n --once --json
            {"event":"syncing",…,"files":1,"docs":1,"only_here":1,"only_there":1}
            {"event":"deleted","file":"d","doc":"n/d","by":"elsewhere"}
            {"event":"deleted","file":"b","doc":"n/b","by":"here"}
            $ trash list DIR/notes
            …	…Z	5	the document was deleted elsewhere	d
            $ trash list DIR/notes --json
            {"number":…,"file":"d","why":"deleted","since":"…Z","bytes":5}
            """)
    }
}
