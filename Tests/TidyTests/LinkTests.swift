import TestSupport
import Testing

/// Checks that links on pages lead to existing files, folders or headings of the repository.
struct LinkRule {
    private let paths: Set<String>
    private let pages: [String: MarkdownPage]

    /// If code on a page begins with one of these folders, it is a path of the repository.
    private static let folders = [
        "Benchmarks/", "Clients/", "Sources/", "Tests/", "config/", "docs/", "migrations/", "scripts/",
    ]

    init(paths: [String], pages: [RepositoryFile]) {
        // A folder exists if it contains a file.
        self.paths = paths.reduce(into: []) { known, path in
            let parts = path.split(separator: "/")
            for count in 1...parts.count { known.insert(parts.prefix(count).joined(separator: "/")) }
        }
        self.pages = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, MarkdownPage($0.text)) })
    }

    func violations() -> [Violation] {
        pages.sorted { $0.key < $1.key }.flatMap { path, page in
            page.links.compactMap { link in
                fault(of: link.text, on: path).map { Violation(path: path, line: link.line, reason: $0) }
            } + page.code.compactMap { named($0, on: path) }
        }
    }

    private func fault(of link: String, on page: String) -> String? {
        // Does not check other sites, because they may be down for a while.
        if link.hasPrefix("https://") || link.hasPrefix("http://") { return nil }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? page : joined(String(parts[0]), below: page)
        guard let target, paths.contains(target) else { return "the target of \(link) does not exist" }
        guard parts.count == 2 else { return nil }
        return pages[target]?.anchors.contains(String(parts[1])) == true
            ? nil : "\(target) has no heading for #\(parts[1])"
    }

    /// A relative path from the folder of a page; nil if it leads out of the repository.
    private func joined(_ path: String, below page: String) -> String? {
        var parts = page.split(separator: "/").dropLast()
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }

    /// If a page shows a path of the repository as code, the path must exist. A path with a placeholder such
    /// as `…` or `*` is a pattern, and need not exist.
    private func named(_ code: MarkdownPage.Piece, on page: String) -> Violation? {
        guard let word = code.text.split(separator: " ").first.map(String.init),
            LinkRule.folders.contains(where: word.hasPrefix), !word.contains(where: { "…*<>⟨".contains($0) })
        else { return nil }
        let path = word.split(separator: "/").joined(separator: "/")
        return paths.contains(path)
            ? nil : Violation(path: page, line: code.line, reason: "\(path) does not exist")
    }
}

@Suite("Links and paths on the documentation pages")
struct LinkTests {
    private func violations(_ text: String, on path: String = "docs/a.md") -> [Violation] {
        let other = RepositoryFile(path: "docs/b.md", text: "# One `two`, three\n")
        return LinkRule(
            paths: [path, other.path, "scripts/run"], pages: [RepositoryFile(path: path, text: text), other]
        ).violations()
    }

    @Test("every linked file or heading and every named path exists")
    func noDeadLinks() throws {
        let pages = try Repository.textFiles().filter { $0.path.hasSuffix(".md") }
        #expect(pages.count > 20)
        expectNone(LinkRule(paths: try Repository.paths(), pages: pages).violations())
    }

    @Test(
        "links to existing files and headings are allowed",
        arguments: [
            "[b](b.md)", "[b](../docs/b.md#one-two-three)", "# Here\n[up](#here)", "[](../scripts)",
            "`scripts/run --x`", "`[x](gone.md)`", "[web](https://example.org/x)", "<img src=\"b.md\">",
            "```\n[x](gone.md)\n```", "`docs/…`",
        ])
    func links(text: String) {
        #expect(violations(text).isEmpty)
    }

    @Test(
        "a link to a missing file or heading is found, with its line",
        arguments: [
            "\n[c](c.md)", "\n[b](b.md#two)", "\n[x](#here)", "\n[x](../../outside)", "\n`scripts/walk`",
            "\n<img src=\"c.svg\">", "`a\nb` [c](c.md)",
        ])
    func deadLinks(text: String) {
        #expect(violations(text).map(\.line) == [2])
    }
}
