import CaretConfig
import CaretWire
import Foundation
import Testing

@Suite("docs/operations.md") struct OperationsTests {
    /// The rows of the table whose first column has this title, each as its cells.
    private func rows(of title: String) throws -> [[String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/operations.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(title) |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("it has every event of the log, with its level, in the order of the list")
    func events() throws {
        let found = try rows(of: "event").map { Array($0[..<2]) }
        #expect(found == LogEvent.Name.allCases.map { ["`\($0.rawValue)`", $0.level.rawValue] })
    }

    @Test("it has every counter, in the order in which they are told")
    func counters() throws {
        let names = Counts().rows.map(\.name)
        let refused = Set(ErrorCode.allCases.map { "refused_\($0.rawValue)" })
        let wanted = names.filter { !refused.contains($0) } + ["refused_CODE"]
        #expect(try rows(of: "counter").map { $0[0] } == wanted.map { "`\($0)`" })
        for cell in try rows(of: "counter").last?.last?.matches(of: /`(refused_\w+)`/) ?? [] {
            #expect(refused.contains(String(cell.1)), "\(cell.1)")
        }
    }

    @Test("it has every latency")
    func latencies() throws {
        #expect(try rows(of: "latency").map { $0[0] } == Latency.allCases.map { "`\($0.name)`" })
    }
}
