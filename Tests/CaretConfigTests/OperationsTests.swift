import CaretConfig
import CaretWire
import Foundation
import Testing

@Suite("The tables of docs/operations.md and docs/watching.md") struct OperationsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The cells of all rows of the table on a page whose first column has this title.
    private func rows(of title: String, on page: String = "docs/watching.md") throws -> [[String]] {
        let file = Self.root.appending(path: page)
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(title) |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("docs/watching.md lists every log event with its level, in order")
    func events() throws {
        let found = try rows(of: "event").map { Array($0[..<2]) }
        #expect(found == LogEvent.Name.allCases.map { ["`\($0.rawValue)`", $0.level.rawValue] })
    }

    /// One field of each kind.
    private static let fields: [LogField] = [
        .transport(.tcp), .address(.loopback(port: 1)), .peer(.loopback(port: 1)), .path(""), .variable(""),
        .version(""), .process(1), .connection(1), .document(1), .revision(1), .token(1), .code(.internal),
        .reason(""), .origin(Origin(isSecure: true, Authority("a.example")!)), .errno(1), .sqlite(1),
        .signal(1), .event(.ready), .count(1), .bytes(1), .milliseconds(1), .days(1), .fault(""),
        .sqlState(""), .changed([]), .needsRestart([]),
    ]

    /// The names and arguments of all `LogEvent(.name, …)` in the sources.
    private func writtenEvents() throws -> [(name: String, arguments: Substring)] {
        let sources = Self.root.appending(path: "Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            return text.matches(of: #/LogEvent\(\s*\.(\w+)/#).map { match in
                var depth = 1
                let rest = text[match.range.upperBound...]
                let arguments = rest.prefix { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth > 0
                }
                return (String(match.1), arguments)
            }
        }
    }

    @Test("docs/watching.md lists the fields that each event is written with")
    func fields() throws {
        let keys = Dictionary(
            uniqueKeysWithValues: Self.fields.map { field in
                (Mirror(reflecting: field).children.first?.label ?? "", field.keyAndValue.key)
            })
        let table = try Dictionary(
            uniqueKeysWithValues: rows(of: "event").map { row in
                (row[0], Set(row[2].matches(of: /`(\w+)`/).map { String($0.1) }))
            })
        for (event, fields) in table { #expect(fields.isSubset(of: keys.values), "\(event)") }
        let names = Dictionary(
            uniqueKeysWithValues: LogEvent.Name.allCases.map { ("\($0)", "`\($0.rawValue)`") })
        let written = try writtenEvents().filter { names[$0.name] != nil }
        #expect(written.count > 25)
        for (name, arguments) in written {
            let found = Set(arguments.matches(of: #/\.(\w+)\(/#).compactMap { keys[String($0.1)] })
            let told = names[name].flatMap { table[$0] } ?? []
            #expect(found.isSubset(of: told), "\(name) is written with \(found)")
        }
    }

    @Test("docs/watching.md lists every counter, in the order of `Counts.rows`")
    func counters() throws {
        let names = Counts().rows.map(\.name)
        let refused = Set(ErrorCode.allCases.map { "refused_\($0.rawValue)" })
        let wanted = names.filter { !refused.contains($0) } + ["refused_CODE"]
        #expect(try rows(of: "counter").map { $0[0] } == wanted.map { "`\($0)`" })
        for cell in try rows(of: "counter").last?.last?.matches(of: /`(refused_\w+)`/) ?? [] {
            #expect(refused.contains(String(cell.1)), "\(cell.1)")
        }
    }

    @Test("docs/operations.md lists all keys that a reload applies, in order")
    func reloadableKeys() throws {
        let cells = try rows(of: "keys that SIGHUP applies", on: "docs/operations.md").map { $0[0] }
        let found = cells.flatMap { $0.matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(found == ConfigurationKey.all.filter(\.isReloadable).map(\.name))
    }

    @Test("docs/watching.md lists every latency")
    func latencies() throws {
        #expect(try rows(of: "latency").map { $0[0] } == Latency.allCases.map { "`\($0.name)`" })
    }
}
