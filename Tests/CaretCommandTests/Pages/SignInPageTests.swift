import Foundation
import TestSupport
import Testing

@Suite("The commands and the backends on the page about sign-in") struct SignInPageTests {
    private let page: MarkdownPage
    private let session: CommandSession

    init() throws {
        page = try #require(Pages.page("docs/sign-in.md"))
        session = try CommandSession(nil)
    }

    /// The lines of the only block in this language under this heading.
    private func block(_ heading: String, _ language: String) throws -> [String] {
        let found = page.blocks.filter { $0.heading == heading && $0.language == language }
        try #require(found.count == 1, "\(heading), \(language): there are \(found.count) blocks")
        return found[0].lines
    }

    private func shell(_ line: String) throws -> String {
        let run = try session.shell(line)
        try #require(run.status == 0 && run.errors.isEmpty, "\(line)\n\(run)")
        return run.output
    }

    private func write(_ lines: [String], to name: String) throws {
        let path = session.folder.path + "/" + name
        try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test("\"Try it\" saves a document as ann")
    func tryIt() throws {
        let blocks = page.blocks.filter { $0.heading == "Try it" }.map(Pages.commands(of:))
        try #require(blocks.count == 2)
        let server = try #require(blocks[0].last).split(separator: " ").map(String.init)
        try #require(server.first == "caretd")
        for command in blocks[0].dropLast() { _ = try shell(command) }
        try session.start(
            server.dropFirst().map { $0 == "public.pem" ? session.folder.path + "/public.pem" : $0 })
        let output = try shell(blocks[1].joined(separator: "\n"))
        #expect(output.hasPrefix("notes/today: saved as revision 1\n1\t"))
        #expect(output.contains("\tann\t"), "\(output)")
    }

    @Test("\"Links\" makes a link to a document, lists it and ends it")
    func links() throws {
        try session.start(["--require-tokens", "--share-links"])
        let ann = try shell("caret token add ann --write notes/ --data DATA")
        let commands = Pages.commands(of: page).filter { $0.hasPrefix("caret share ") }
        try #require(commands.count == 3)
        let setup = "export CARET_TOKEN=\(ann)echo Hello | caret put notes/today --create"
        let output = try shell(([setup] + commands).joined(separator: "\n")).split(separator: "\n")
        try #require(output.count == 4, "\(output)")
        #expect(output[1].contains("/d/notes/today#link=caret_2_"))
        #expect(output[2].hasPrefix("2\tlink/1/2\t") && output[2].hasSuffix("\tread:=notes/today"))
        #expect(output[3] == "link 2 to notes/today has ended")
    }

    /// Makes the keys as the page does.
    private func makeKeys() throws {
        let commands = Pages.commands(of: page).prefix { $0.hasPrefix("openssl ") }
        try #require(commands.count == 2)
        for command in commands { _ = try shell(command) }
    }

    /// What `caret token check` says about a token, with the words of the page.
    private func check(_ token: String) throws -> String {
        let command = try #require(Pages.commands(of: page).first { $0.contains("| caret token check") })
        let words = try #require(command.split(separator: "|").last)
        try write([token], to: "token")
        return try shell("cat token | \(words)")
    }

    private func expectAccepted(_ token: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let answer = try check(token).split(separator: "\n").prefix(3)
        #expect(
            answer == ["accepted", "user:    änn/\"x\"", "rights:  write:notes/"], "\(token)",
            sourceLocation: sourceLocation)
    }

    @Test("each backend has at most 15 lines")
    func lengths() throws {
        for (heading, language) in [
            ("Python", "python"), ("Node", "js"), ("Swift, and every other language", "swift"),
        ] {
            #expect(try block(heading, language).count <= 15)
        }
    }

    @Test("a server accepts the token of the backend in Python")
    func python() throws {
        try makeKeys()
        try write(try block("Python", "python"), to: "backend.py")
        let call = #"from backend import *; print(caret_token("änn/\"x\"", {"write": ["notes/"]}))"#
        try write([call], to: "call.py")
        try expectAccepted(try shell("python3 call.py"))
    }

    @Test("a server accepts the token of the backend in Node")
    func node() throws {
        try makeKeys()
        try write(try block("Node", "js"), to: "backend.mjs")
        let call = #"console.log(caretToken('änn/"x"', { write: ['notes/'] }))"#
        try write(["import { caretToken } from './backend.mjs'", call], to: "call.mjs")
        try expectAccepted(try shell("node call.mjs"))
    }

    @Test("a server accepts the token of the backend in Swift")
    func swift() throws {
        try makeKeys()
        let program = ChildProgram.path(of: "caret")
        let lines = try block("Swift, and every other language", "swift").map {
            $0.replacing("/usr/local/bin/caret", with: program)
        }
        try write(lines + [#"print(try caretToken("änn/\"x\"", write: "notes/"))"#], to: "main.swift")
        let (source, made) = (session.folder.path + "/main.swift", session.folder.path + "/backend")
        let run = try Run(
            "/usr/bin/env", ["swiftc", "-swift-version", "6", source, "-o", made], environment: [:])
        try #require(run.status == 0, "\(run)")
        try expectAccepted(try shell("./backend"))
    }
}
