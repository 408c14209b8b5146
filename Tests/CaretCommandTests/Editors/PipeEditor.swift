import Dispatch
import Foundation
import TestSupport
import Testing

/// A text editor without a screen, which runs `caret pipe` as the plugins do.
final class PipeEditor {
    struct Ended: Error {
        let errors: String
    }

    private let program: ChildProgram
    private let received: ReceivedLines
    private let countsLines: Bool
    /// The lines that the editor shows; one string with the whole text if it counts characters.
    private(set) var lines: [String] = []
    private(set) var state = ""
    private(set) var stateMessage = ""
    private(set) var isKept = true
    private(set) var peers: [[String: Any]] = []
    private(set) var revision: Int?
    private(set) var fault: String?
    private var (seen, sent) = (0, 0)
    private(set) var droppedChanges = 0

    init(_ document: String, on session: CommandSession, countsLines: Bool = true, _ options: [String] = [])
        throws
    {
        self.countsLines = countsLines
        let command =
            [
                ChildProgram.path(of: "caret"), "pipe", "--positions", countsLines ? "lines" : "characters",
                "--socket", session.data + "/caretd.sock",
            ]
            + options + [document]
        program = try ChildProgram(
            command,
            environment: Run.surroundings.merging(["XDG_STATE_HOME": session.folder.path + "/state"]) { $1 },
            input: .pipe, output: .pipe, errors: .pipe)
        received = ReceivedLines(of: program.output)
        try waits { !self.lines.isEmpty }
    }

    var text: String { lines.joined(separator: "\n") }

    // MARK: From the server

    /// Handles the messages that have arrived.
    func read() throws {
        while let line = received.next(before: .now()) { try handle(line) }
    }

    /// Handles messages until a condition is true.
    func waits(_ condition: () throws -> Bool) throws {
        let end = DispatchTime.now() + .seconds(30)
        try read()
        while try !condition() {
            guard let line = received.next(before: end) else { throw Ended(errors: "\(state) \(text)") }
            try handle(line)
        }
    }

    private func handle(_ line: Data) throws {
        let message = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        switch try #require(message["type"] as? String) {
        case "opened": lines = split(try #require(message["text"] as? String))
        case "state":
            state = try #require(message["state"] as? String)
            isKept = try #require(message["kept"] as? Bool)
            stateMessage = try #require(message["message"] as? String)
        case "saved": revision = try #require(message["revision"] as? Int)
        case "error": fault = try #require(message["message"] as? String)
        case "peers":
            if message["after"] as? Int == sent, message["number"] as? Int == seen {
                peers = try #require(message["peers"] as? [[String: Any]])
            }
        case "changed":
            guard message["after"] as? Int == sent else {
                droppedChanges += 1
                return
            }
            for edit in try #require(message["edits"] as? [[String: Any]]) {
                let range = try #require(edit["range"] as? [Any])
                try replace(range[0], range[1], with: #require(edit["text"] as? String))
            }
            seen = try #require(message["number"] as? Int)
            try send(["type": "applied", "number": seen])
        default: break
        }
    }

    private func split(_ text: String) -> [String] {
        countsLines ? text.components(separatedBy: "\n") : [text]
    }

    private func replace(_ start: Any, _ end: Any, with text: String) throws {
        func place(_ value: Any) throws -> (line: Int, column: Int) {
            if let offset = value as? Int { return (0, offset) }
            let pair = try #require(value as? [Int])
            return (pair[0], pair[1])
        }
        let (start, end) = (try place(start), try place(end))
        let before = prefix(of: lines[start.line], start.column)
        let after = suffix(of: lines[end.line], from: end.column)
        lines.replaceSubrange(start.line...end.line, with: split(before + text + after))
    }

    /// The first columns of a line: bytes, or Unicode scalars.
    private func prefix(of line: String, _ columns: Int) -> String {
        countsLines
            ? String(decoding: line.utf8.prefix(columns), as: UTF8.self)
            : String(String.UnicodeScalarView(line.unicodeScalars.prefix(columns)))
    }

    private func suffix(of line: String, from column: Int) -> String {
        countsLines
            ? String(decoding: line.utf8.dropFirst(column), as: UTF8.self)
            : String(String.UnicodeScalarView(line.unicodeScalars.dropFirst(column)))
    }

    // MARK: From the user

    func send(_ message: [String: Any]) throws {
        let line = try JSONSerialization.data(withJSONObject: message)
        try program.write(String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Replaces a line by other lines.
    func type(_ new: [String], at line: Int) throws {
        lines.replaceSubrange(line...line, with: new)
        sent += 1
        try send(["type": "change", "seen": seen, "first": line, "count": 1, "lines": new])
    }

    /// Replaces characters, in an editor that counts them.
    func type(_ text: String, over range: Range<Int>) throws {
        let scalars = Array(lines[0].unicodeScalars)
        let new =
            Array(scalars[..<range.lowerBound]) + Array(text.unicodeScalars)
            + Array(scalars[range.upperBound...])
        lines = [String(String.UnicodeScalarView(new))]
        sent += 1
        let edit: [String: Any] = ["range": [range.lowerBound, range.upperBound], "text": text]
        try send(["type": "change", "seen": seen, "edits": [edit]])
    }

    /// Ends the input, and waits for the next report.
    func endInput() -> String {
        program.endInput()
        return String(decoding: ChildProgram.nextBytes(program.errors), as: UTF8.self)
    }

    func end() -> (status: Int32?, errors: String) {
        program.endInput()
        return (program.waitForEnd(), program.remainingErrors())
    }
}
