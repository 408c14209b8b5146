import Foundation
import TestSupport
import Testing

@Suite("The plugins for Vim, Neovim and Emacs", .serialized)
struct EditorPluginTests {
    enum Editor: String, CaseIterable {
        case vim, neovim, emacs

        /// The folder of the plugins.
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Clients/editors").path

        /// Starts the editor, which then runs a command of its plugin.
        func words(running command: String) -> [String] {
            let caret = ChildProgram.path(of: "caret")
            switch self {
            case .vim:
                return [
                    "vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set laststatus=2",
                    "--cmd", "let g:caret_command = ['\(caret)']",
                    "-S", "\(Editor.folder)/vim/plugin/caret.vim", "-c", command,
                ]
            case .neovim:
                return [
                    "nvim", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "let g:caret_command = ['\(caret)']",
                    "-S", "\(Editor.folder)/neovim/plugin/caret.lua", "-c", command,
                ]
            case .emacs:
                return [
                    "emacs", "-nw", "-Q", "--eval",
                    "(setq inhibit-startup-screen t caret-command '(\"\(caret)\"))",
                    "-l", "\(Editor.folder)/emacs/caret.el", "--eval", command,
                ]
            }
        }

        func opening(_ document: String) -> String {
            self == .emacs ? "(caret-open \"\(document)\")" : "CaretOpen \(document)"
        }

        func listing(_ prefix: String) -> String {
            self == .emacs ? "(caret-list \"\(prefix)\")" : "CaretList \(prefix)"
        }

        /// The keys that begin to open a document, before its name.
        var openingKeys: [String] {
            self == .emacs ? ["M-x"] + keys("caret-open") + ["Enter"] : keys(":CaretOpen") + ["Space"]
        }

        func keys(_ text: String) -> [String] { text.map { $0 == " " ? "Space" : String($0) } }

        /// The keys that append a text to the line `two`, which is the second one.
        func appending(_ text: String) -> [String] {
            self == .emacs
                ? ["M-<", "C-n", "C-e"] + text.map(String.init)
                : ["2", "G", "A"] + text.map(String.init) + ["Escape"]
        }

        /// Whether the status line of the editor says that the buffer is as saved.
        func isUnmodified(in screen: String) -> Bool {
            switch self {
            case .vim, .neovim: !screen.contains("[+]")
            case .emacs: screen.contains(" --- ") || screen.contains(":---")
            }
        }

        var undo: String { self == .emacs ? "C-_" : "u" }
        var save: [String] { self == .emacs ? ["C-x", "C-s"] : [":", "w", "Enter"] }
    }

    private func open(
        _ editor: Editor, _ document: String, as name: String, on session: CommandSession
    ) throws -> TerminalScreen {
        let screen = try start(editor, editor.opening(document), as: name, on: session)
        try screen.waits { $0.contains("two") }
        return screen
    }

    private func start(
        _ editor: Editor, _ command: String, as name: String, on session: CommandSession
    ) throws -> TerminalScreen {
        let environment = [
            "CARET_SERVER": session.address, "USER": name, "XDG_STATE_HOME": session.folder.path + "/" + name,
            "HOME": session.folder.path,
        ]
        let words = ["env"] + environment.map { "\($0)=\($1)" } + editor.words(running: command)
        return try TerminalScreen(running: words, on: session)
    }

    @Test("`caret edit` opens a document live", arguments: [Editor.vim, .neovim])
    func edit(editor: Editor) throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "it's 100% #1", "--create"], input: "one\ntwo\n").status == 0)
        let screen = try TerminalScreen(
            ["edit", "it's 100% #1", "--color", "c33"], on: session,
            environment: [
                "EDITOR": editor == .vim ? "vim -u NONE -i NONE" : "nvim -u NONE -i NONE", "USER": "Ann",
                "XDG_STATE_HOME": session.folder.path + "/state", "HOME": session.folder.path,
            ])
        try screen.waits { $0.contains("two") }
        #expect(try session.caret(["put", "it's 100% #1"], input: "zero\none\ntwo\n").status == 0)
        try screen.waits { $0.contains("zero") }
        let other = try PipeEditor("it's 100% #1", on: session)
        for key in ["G", "A", "!", "Escape"] { try screen.press(key) }
        try other.waits { !other.peers.isEmpty }
        #expect(other.peers.map { $0["name"] as? String } == ["Ann"])
        #expect(other.peers.map { $0["color"] as? String } == ["#c33"])
        #expect(other.end().status == 0)
        // Waits until the server has the edit. Without `w`, the editor would refuse to lose it until then.
        try screen.type(":wq")
        #expect(try screen.ended() == 0)
        #expect(try screen.text().contains("it's 100% #1: all edits are saved, at revision 3"))
        #expect(try session.caret(["cat", "it's 100% #1"]).output == "zero\none\ntwo!\n")
    }

    @Test(
        "an editor says that there is no such document, and that the server is away",
        arguments: Editor.allCases)
    func faults(editor: Editor) throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\ntwo\n").status == 0)
        let missing = try start(editor, editor.opening("missing"), as: "Ann", on: session)
        try missing.waits { $0.contains("there is no such document") }
        let screen = try open(editor, "list", as: "Ann", on: session)
        session.stop()
        try screen.waits { $0.contains("the server cannot be reached") }
    }

    @Test(
        "an editor lists documents, and opens one, whatever its name is", arguments: Editor.allCases)
    func list(editor: Editor) throws {
        let session = try CommandSession()
        // Vim would run a part of this name, if it were a part of a command.
        let name = "it's 100% #1 | quit! \"$(exit)\""
        #expect(try session.caret(["put", name, "--create"], input: "one\ntwo\n").status == 0)
        #expect(try session.caret(["put", "other", "--create"], input: "three\n").status == 0)
        let screen = try start(editor, editor.listing(""), as: "Ann", on: session)
        try screen.waits { $0.contains(name) && $0.contains("other") }
        try screen.press("Enter")
        try screen.waits { $0.contains("one") && $0.contains("two") }
        let filtered = try start(editor, editor.listing("oth"), as: "Ann", on: session)
        try filtered.waits { $0.contains("other") && !$0.contains("100%") }
        let empty = try start(editor, editor.listing("nope"), as: "Ann", on: session)
        try empty.waits { $0.lowercased().contains("no document that you may read begins with nope") }
    }

    @Test("the name of a document is completed, also after a space", arguments: Editor.allCases)
    func completion(editor: Editor) throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "my list", "--create"], input: "one\ntwo\n").status == 0)
        let screen = try start(editor, editor.listing(""), as: "Ann", on: session)
        try screen.waits { $0.contains("my list") }
        for key in editor.openingKeys + editor.keys("my l") + ["Tab"] { try screen.press(key) }
        try screen.waits { $0.contains(editor == .emacs ? "Document: my list" : ":CaretOpen my list") }
        try screen.press("Enter")
        try screen.waits { $0.contains("two") }
    }

    @Test("a list says why there is none", arguments: Editor.allCases)
    func listFaults(editor: Editor) throws {
        let session = try CommandSession()
        session.stop()
        let screen = try start(editor, editor.listing(""), as: "Ann", on: session)
        try screen.waits { $0.contains("Connection refused") }
    }

    @Test(
        "two people in different editors type into one document",
        arguments: [(Editor.vim, Editor.neovim), (.neovim, .emacs), (.emacs, .vim)])
    func pairs(first: Editor, second: Editor) throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\ntwo\nthree\n").status == 0)
        let ann = try open(first, "list", as: "Ann", on: session)
        let ben = try open(second, "list", as: "Ben", on: session)
        for key in first.appending("AA") { try ann.press(key) }
        try ben.waits { $0.contains("twoAA") && $0.contains(" Ann") }
        for key in second.appending("BB") { try ben.press(key) }
        // Ann's caret stays where it is, so her next letter goes before Ben's.
        try ann.waits { $0.contains("twoAABB") && $0.contains(" Ben") }
        // Undo takes back the user's own edit.
        try ann.press(first.undo)
        try ben.waits { $0.contains("twoBB") }
        #expect(try session.caret(["cat", "list"]).output == "one\ntwoBB\nthree\n")
        for key in second.save { try ben.press(key) }
        try ben.waits { $0.contains("saved") }
        // Others' changes keep each caret on its character.
        #expect(try session.caret(["put", "list"], input: "zero\none\ntwoBB\nthree\nfour\n").status == 0)
        for screen in [ann, ben] { try screen.waits { $0.contains("zero") && $0.contains("four") } }
        // Only own edits that are not saved count as modified.
        try ann.waits { first.isUnmodified(in: $0) }
        try ben.waits { second.isUnmodified(in: $0) }
        try ben.press(second == .emacs ? "C" : "a", "C")
        try ann.waits { $0.contains("twoBBC") }
        withExtendedLifetime(session) {}
    }
}
