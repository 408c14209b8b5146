import Foundation

/// The example session in docs/protocol/README.md.
enum Transcript {
    enum Step: Equatable {
        /// A line from the client.
        case says(String)
        /// A line from the server. `…` marks the omitted content of an object.
        case hears(String)
        case otherPushes(String)
        case maps(Range<Int>, to: Range<Int>)
    }

    /// Thrown if a line of the example session is not a step.
    struct Unreadable: Error {
        let line: String
    }

    static func inProtocol() throws -> [Step] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/README.md")
        return try steps(of: String(contentsOf: file, encoding: .utf8))
    }

    /// The steps in the first code block under the heading "A session to read".
    private static func steps(of page: String) throws -> [Step] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let heading = "## A session to read"
        let section = lines.drop { !$0.hasPrefix(heading) }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let fenced = section.drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
        return try fenced.map { try step($0) }
    }

    static func step(_ line: Substring) throws -> Step {
        if line.hasPrefix("> ") { return .says(String(line.dropFirst(2))) }
        if line.hasPrefix("< ") { return .hears(String(line.dropFirst(2))) }
        if let push = line.wholeMatch(of: /\s*\(somebody else pushes "(.*)"\)/) {
            return .otherPushes(String(push.1))
        }
        let mapped =
            /\s*\(the client maps its selection (\d+)\.\.(\d+) to (\d+)\.\.(\d+); so has the server, for the others\)/
        if let edges = line.wholeMatch(of: mapped), let from = Int(edges.1), let to = Int(edges.2),
            let newFrom = Int(edges.3), let newTo = Int(edges.4)
        {
            return .maps(from..<to, to: newFrom..<newTo)
        }
        throw Unreadable(line: String(line))
    }

    /// Whether a line of the server equals the line that the page shows. `…` in the page stands for any
    /// content of an object.
    static func isShown(_ line: String, by shown: String) -> Bool {
        var rest = Substring(line).utf8
        for (index, piece) in shown.split(separator: "…", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { rest = rest.drop { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") } }
            guard rest.starts(with: piece.utf8) else { return false }
            rest = rest.dropFirst(piece.utf8.count)
        }
        return rest.isEmpty
    }
}
