import CaretWeb
import CaretWire
import Foundation
import TestSupport
import Testing

/// Compares the tables of docs/protocol/http.md and docs/errors.md with the codes and their statuses.
@Suite("The pages on errors over HTTP") struct ErrorPagesTests {
    /// The codes of each status, from the table in http.md.
    private let codes: [Int: Set<String>]
    /// The statuses of the codes that exist only over HTTP, from the table in errors.md.
    private let statuses: [String: Set<Int>]

    /// These codes would be faults of the server, so the page does not list them.
    private static let faults: Set<ErrorCode> = [
        .helloRequired, .helloTimeout, .unsupportedProtocol, .alreadyHello, .notOpen, .alreadyOpen,
        .unknownType,
    ]

    init() throws {
        var codes: [Int: Set<String>] = [:]
        for row in try Self.rows(of: "docs/protocol/http.md", under: "Errors") {
            for status in Self.numbers(in: row[0]) { codes[status] = Self.words(in: row[1]) }
        }
        self.codes = codes
        var statuses: [String: Set<Int>] = [:]
        for row in try Self.rows(of: "docs/errors.md", under: "Over HTTP") {
            for code in Self.words(in: row[0]) { statuses[code] = Set(Self.numbers(in: row[1])) }
        }
        self.statuses = statuses
    }

    private static func rows(of path: String, under heading: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = MarkdownPage(try String(contentsOf: root.appending(path: path), encoding: .utf8))
        return try #require(page.tables.first { $0.heading == heading }).rows
    }

    private static func words(in cell: String) -> Set<String> {
        Set(cell.matches(of: /`([a-z_]+)`/).map { String($0.1) })
    }

    private static func numbers(in cell: String) -> [Int] { cell.matches(of: /\d+/).compactMap { Int($0.0) } }

    @Test("http.md has every error code of the protocol at its status")
    func protocolCodes() {
        for code in ErrorCode.allCases {
            let isListed = codes[Status(code).rawValue]?.contains(code.rawValue) == true
            #expect(isListed != Self.faults.contains(code), "\(code)")
        }
    }

    @Test("errors.md has every code that exists only over HTTP")
    func webCodes() {
        #expect(statuses.keys.sorted() == WebCode.allCases.map(\.rawValue).sorted())
    }

    @Test("both pages give the same statuses to the codes of HTTP")
    func samePages() {
        for (code, statuses) in statuses {
            let listed = codes.filter { $0.value.contains(code) }.keys
            #expect(Set(listed) == statuses, "\(code)")
        }
    }

    @Test("http.md has only codes that exist, and only statuses of refusals")
    func known() {
        let known = Set(ErrorCode.allCases.map(\.rawValue) + WebCode.allCases.map(\.rawValue))
        for (status, codes) in codes {
            #expect(codes.isSubset(of: known), "\(status): \(codes.subtracting(known))")
            #expect(Status(rawValue: status) != nil && status >= 400, "\(status)")
        }
    }
}
