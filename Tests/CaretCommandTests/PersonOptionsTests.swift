import CaretClient
import CaretCommand
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("The name and the colour that other people see") struct PersonOptionsTests {
    private func person(
        _ options: [String], _ environment: [String: String] = [:], of command: [String] = ["edit", "a"]
    ) throws -> PersonInfo {
        try ParsedCommand(command + options).arguments.person(environment)
    }

    @Test("options come before variables, and the name of the system's user comes last")
    func order() throws {
        let variables = ["CARET_NAME": "Ann B.", "CARET_COLOR": "#D62578", "USER": "ann"]
        #expect(try person([], variables) == PersonInfo(name: "Ann B.", color: "#D62578"))
        #expect(
            try person(["--name", "Eve", "--color", "c33"], variables)
                == PersonInfo(name: "Eve", color: "#c33"))
        #expect(try person(["--color=#218431"], ["USER": "ann"]) == PersonInfo(name: "ann", color: "#218431"))
        #expect(try person([], ["CARET_NAME": "", "CARET_COLOR": "", "USER": ""]) == PersonInfo())
    }

    @Test("an assistant does not use the variables of its user")
    func assistant() throws {
        let arguments = try ParsedCommand(["mcp"]).arguments
        #expect(try arguments.assistant() == PersonInfo(name: "Assistant"))
        let given = try ParsedCommand(["mcp", "--name", "Helper", "--color", "333"]).arguments
        #expect(try given.assistant() == PersonInfo(name: "Helper", color: "#333"))
    }

    @Test("a name has at most 64 characters, and a longer name of the system's user is not used")
    func longNames() throws {
        let longest = String(repeating: "é", count: PersonOptions.longestName)
        #expect(try person(["--name", longest]).name == longest)
        #expect(try person([], ["USER": longest]).name == longest)
        #expect(throws: UsageFault.self) { try person(["--name", longest + "e"]) }
        #expect(try person([], ["USER": longest + "e"]).name == nil)
    }

    @Test(
        "a name can be neither blank nor contain control characters",
        arguments: ["", " ", "a\tb", "a\u{1B}b"])
    func wrongNames(name: String) throws {
        #expect(throws: UsageFault.self) { try person(["--name", name]) }
        #expect(try person([], ["USER": name]).name == nil)
    }

    @Test("a wrong colour is an error that says what is allowed")
    func wrongColors() throws {
        let expected =
            "expected three or six hexadecimal digits, for example c33 or d62578; a # before them is allowed"
        for color in ["red", "#", "", "#12", "#1234", "#12345g", "##123", "+12345"] {
            do {
                _ = try person(["--color", color])
                Issue.record("\(color) was accepted")
            } catch {
                #expect("\(error)" == "edit: --color: found \"\(color)\", \(expected)")
            }
        }
        do {
            _ = try person([], ["CARET_COLOR": "red"])
            Issue.record("the variable was accepted")
        } catch {
            #expect("\(error)" == "edit: CARET_COLOR: found \"red\", \(expected)")
        }
    }

    @Test("others see the name and the colour at the caret of `pipe`")
    func seen() async throws {
        let session = try CommandSession()
        #expect(try session.caret(["put", "list", "--create"], input: "one\n").status == 0)
        let client = LiveClient(session.socket)
        defer { client.close() }
        let open = try await client.open("list").opened()
        let updates = open.updates
        let editor = try PipeEditor("list", on: session, ["--name", "Ann B.", "--color", "c33"])
        try editor.send(["type": "select", "selections": [[[0, 1], [0, 1]]]])
        for await _ in updates where !open.peers.isEmpty { break }
        #expect(open.peers.map(\.person) == [PersonInfo(name: "Ann B.", color: "#c33")])
        #expect(editor.end().status == 0)
    }

    @Test("a wrong colour ends `edit`, `pipe` and `mcp` before they connect")
    func refused() throws {
        let session = try CommandSession(nil)
        try session.expect(
            """
            $ edit a --color red
            ! caret: edit: --color: found "red", expected three or six hexadecimal digits, …
            !   run: caret help edit
            [2]
            $ pipe a --color '#12'
            ! caret: pipe: --color: found "#12", expected …
            !   run: caret help pipe
            [2]
            $ mcp --name ''
            ! caret: mcp: --name: found "", expected 1 to 64 characters, without control characters
            !   run: caret help mcp
            [2]
            """)
    }
}
