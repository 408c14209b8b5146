import Testing

/// The server contains the files that `files.c` lists, and those that `scripts/bundle-page` makes and lists itself.
enum PageFileRule {
    static let list = "Sources/CaretPage/files.c"
    static let folder = "Sources/CaretPage/page/"
    /// These files are the sources of what the script makes.
    static let bundled = [".css", ".html", ".js"]
    static let notBundled: Set = ["service-worker.js"]

    /// The differences between the list and the files. A name on the list without a file does not compile.
    static func violations(in list: RepositoryFile, paths: [String]) -> [Violation] {
        let listed = list.text.matches(of: #/#define NAME "([^"]*)"\n#include "embed\.h"\n/#).map {
            "Sources/CaretPage/\($0.1)"
        }
        let missing = paths.filter { $0.hasPrefix(folder) && !isBundled($0) && !listed.contains($0) }
        let repeated = Set(listed.filter { name in listed.count { $0 == name } > 1 })
        return missing.map { Violation(path: $0, reason: "this file is not in \(list.path)") }
            + repeated.sorted().map { Violation(path: list.path, reason: "\($0) is listed more than once") }
    }

    private static func isBundled(_ path: String) -> Bool {
        bundled.contains { path.hasSuffix($0) } && !notBundled.contains(String(path.dropFirst(folder.count)))
    }
}

@Suite("The list of the files that the server contains")
struct PageFileTests {
    @Test("every file of the page that is not bundled is listed once")
    func allListed() throws {
        let list = try #require(try Repository.textFiles().first { $0.path == PageFileRule.list })
        expectNone(PageFileRule.violations(in: list, paths: try Repository.paths()))
        #expect(list.text.contains("\"page/icon.svg\"") && list.text.contains("\"page/service-worker.js\""))
    }

    @Test("a file that is missing in the list is found, and so is one that is listed twice")
    func differences() {
        let line = "#define NAME \"page/a.svg\"\n#include \"embed.h\"\n"
        let list = RepositoryFile(path: "files.c", text: line + line)
        let found = PageFileRule.violations(
            in: list,
            paths: [
                "Sources/CaretPage/page/a.svg", "Sources/CaretPage/page/b.png", "Sources/CaretPage/page/c.js",
                "Sources/CaretPage/page/service-worker.js", "Sources/CaretPage/embed.h",
                "Clients/javascript/package.json",
            ])
        #expect(
            found.map(\.path) == [
                "Sources/CaretPage/page/b.png", "Sources/CaretPage/page/service-worker.js", "files.c",
            ])
    }
}
