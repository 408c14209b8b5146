import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("`caret pipe`", .serialized) struct PipeTests {
    @Test("an editor sees changes of others, and its own are saved")
    func changes() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\ntwo\n").status == 0)
        let editor = try PipeEditor("list", on: session)
        #expect(editor.lines == ["one", "two"])
        try editor.type(["two!", "three"], at: 1)
        try editor.send(["type": "save"])
        try editor.waits { editor.revision == 2 && editor.state == "saved" }
        #expect(try session.caret(["cat", "list"]).output == "one\ntwo!\nthree\n")
        #expect(try session.caret(["put", "list"], input: "zero\none\ntwo!\nthree\nfour\n").status == 0)
        try editor.waits { editor.lines == ["zero", "one", "two!", "three", "four"] }
        // Undo takes back only the user's own edit.
        try editor.send(["type": "undo"])
        try editor.waits { editor.lines == ["zero", "one", "two", "four"] && editor.state == "saved" }
        try editor.send(["type": "redo"])
        try editor.waits { editor.lines == ["zero", "one", "two!", "three", "four"] }
        let end = editor.end()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
        #expect(try session.caret(["cat", "list"]).output == "zero\none\ntwo!\nthree\nfour\n")
    }

    @Test("two editors see each other's carets where they are")
    func carets() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "é😀one\ntwo\n").status == 0)
        let lines = try PipeEditor("list", on: session)
        let characters = try PipeEditor("list", on: session, countsLines: false)
        try lines.send(["type": "select", "selections": [[[0, 6], [1, 3]]]])
        try characters.waits { (characters.peers.first?["selections"] as? [[Int]]) == [[2, 9]] }
        try characters.send(["type": "select", "selections": [[3, 3]]])
        try lines.waits { (lines.peers.first?["selections"] as? [[[Int]]]) == [[[0, 7], [0, 7]]] }
        // The caret moves with the text before it.
        try lines.type(["x😀one"], at: 0)
        try lines.waits { (lines.peers.first?["selections"] as? [[[Int]]]) == [[[0, 6], [0, 6]]] }
        for editor in [lines, characters] { #expect(editor.end().status == 0) }
    }

    @Test("editors that type at the same time have one text in the end")
    func random() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "é😀\nx\n").status == 0)
        let lines = try PipeEditor("list", on: session)
        let characters = try PipeEditor("list", on: session, countsLines: false)
        var random = Seeded(7)
        var words: [String] = []
        for step in 0..<300 {
            let word = "<\(step)>"
            words.append(word)
            if random.chance(50) {
                let line = random.number(0...lines.lines.count - 1)
                let old = lines.lines[line]
                let cut = old.index(old.startIndex, offsetBy: random.number(0...old.count))
                let new = old[..<cut] + word + (random.chance(20) ? "\n" : "") + old[cut...]
                try lines.type(new.components(separatedBy: "\n"), at: line)
            } else {
                let place = random.number(0...characters.text.unicodeScalars.count)
                try characters.type(word, over: place..<place)
            }
            if random.chance(50) { try lines.read() }
            if random.chance(50) { try characters.read() }
        }
        for editor in [lines, characters] { try editor.send(["type": "save"]) }
        for editor in [lines, characters] { try editor.waits { editor.revision != nil } }
        let text = try session.caret(["cat", "list"]).output
        try lines.waits { lines.text + "\n" == text || lines.text == text }
        try characters.waits { characters.text == text }
        let letters = text.filter { "<>0123456789".contains($0) }
        #expect(letters.count == words.joined().count)
        #expect(lines.droppedChanges + characters.droppedChanges > 0)
    }

    @Test("a pasted carriage return becomes a line end, and the editor stays live")
    func carriageReturns() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\ntwo\n").status == 0)
        let lines = try PipeEditor("list", on: session)
        let characters = try PipeEditor("list", on: session, countsLines: false)
        try lines.type(["pasted\r", "three\rfour"], at: 1)
        // The user types on before the line ends arrive in the editor.
        try lines.type(["one!"], at: 0)
        try lines.waits { lines.lines == ["one!", "pasted", "three", "four"] }
        try characters.waits { characters.text == "one!\npasted\nthree\nfour\n" }
        try characters.type("\r\nx\ry", over: 3..<4)
        try characters.waits { characters.text == "one\nx\ny\npasted\nthree\nfour\n" }
        try lines.waits { lines.lines == ["one", "x", "y", "pasted", "three", "four"] }
        for editor in [lines, characters] { #expect(editor.end().status == 0) }
        #expect(try session.caret(["cat", "list"]).output == "one\nx\ny\npasted\nthree\nfour\n")
    }

    @Test("edits that the server did not get are kept, and sent next time")
    func offline() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\n").status == 0)
        let editor = try PipeEditor("list", on: session)
        session.stop()
        try editor.waits { editor.state == "offline" }
        try editor.type(["one!"], at: 0)
        let end = editor.end()
        #expect(end.status == 0 && end.errors.contains("your edits are kept on this machine"), "\(end)")
        let alone = try PipeEditor("list", on: session)
        #expect(alone.lines == ["one!"])
        try alone.waits { alone.state == "offline" && alone.stateMessage.contains("is back (") }
        #expect(alone.end().status == 0)
        try session.start()
        let again = try PipeEditor("list", on: session)
        #expect(again.lines == ["one!"])
        try again.waits { again.state == "saved" }
        #expect(again.end().status == 0)
        #expect(try session.caret(["cat", "list"]).output == "one!\n")
    }

    @Test("edits that cannot be kept are reported at once, and the command runs until they are saved")
    func notKept() throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\n").status == 0)
        let editor = try PipeEditor("list", on: session)
        try editor.waits { editor.state == "saved" && editor.isKept }
        // A folder with this name prevents that the file is written.
        let parent = session.folder.path + "/state/caret/edit"
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: parent).first)
        let obstacle = "\(parent)/\(folder)/1.edits.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        session.stop()
        try editor.waits { editor.state == "offline" }
        try editor.type(["one!"], at: 0)
        try editor.waits { !editor.isKept }
        let fault = "cannot be kept on this machine: \(obstacle): could not make"
        #expect(editor.stateMessage.contains("edits " + fault), "\(editor.stateMessage)")
        let report = editor.endInput()
        #expect(report.contains("list: your edits are not saved, and " + fault), "\(report)")
        try session.start()
        #expect(editor.end().status == 0)
        #expect(try session.caret(["cat", "list"]).output == "one!\n")
    }

    @Test("an editor whose message does not fit is told why, and what it typed before is saved")
    func faults() throws {
        let session = try CommandSession()
        let editor = try PipeEditor("list", on: session, ["--create"])
        try editor.type(["a"], at: 0)
        try editor.send(["type": "change", "seen": 0, "first": 5, "count": 1, "lines": [""]])
        try editor.waits { editor.fault != nil }
        #expect(editor.fault == "lines ends at line 6, and the text has 1")
        #expect(editor.end().status == 1)
        #expect(try session.caret(["cat", "list"]).output == "a\n")
        let other = try PipeEditor("list", on: session)
        try other.send(["type": "applied", "number": 1])
        try other.waits { other.fault == "the change 1 was not sent; the last one is 0" }
        #expect(other.end().status == 1)
    }

    @Test("a document that does not exist, and an unknown unit")
    func refused() throws {
        let session = try CommandSession()
        let missing = try session.caret(["pipe", "nothing"])
        #expect(missing.status == 1 && missing.errors.contains("there is no such document"), "\(missing)")
        let unit = try session.caret(["pipe", "nothing", "--positions", "words"])
        #expect(unit.status == 2 && unit.errors.contains("lines, characters, utf16"), "\(unit)")
    }
}
