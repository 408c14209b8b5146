import Testing

/// `files.c` lists the files that the server contains.
enum PageFileRule {
    static let list = "Sources/CaretPage/files.c"
    static let folders = ["Sources/CaretPage/caret/", "Sources/CaretPage/page/"]
    /// These files are for programs in Node, which do not get them from the server.
    static let forNode: Set = [
        "Sources/CaretPage/caret/caret-node.js", "Sources/CaretPage/caret/package.json",
    ]

    /// The differences between the list and the files. A name on the list without a file does not compile.
    static func violations(in list: RepositoryFile, paths: [String]) -> [Violation] {
        let listed = list.text.matches(of: #/#define NAME "([^"]*)"\n#include "embed\.h"\n/#).map {
            "Sources/CaretPage/\($0.1)"
        }
        let missing = paths.filter { path in
            folders.contains { path.hasPrefix($0) } && !listed.contains(path) && !forNode.contains(path)
        }
        let repeated = Set(listed.filter { name in listed.count { $0 == name } > 1 })
        return missing.map { Violation(path: $0, reason: "this file is not in \(list.path)") }
            + repeated.sorted().map { Violation(path: list.path, reason: "\($0) is listed more than once") }
    }
}

@Suite("The list of the files that the server contains")
struct PageFileTests {
    @Test("every file of the page and of the JavaScript client is listed once")
    func allListed() throws {
        let list = try #require(try Repository.textFiles().first { $0.path == PageFileRule.list })
        expectNone(PageFileRule.violations(in: list, paths: try Repository.paths()))
        #expect(list.text.contains("\"page/index.html\""))
    }

    @Test("a file that is missing in the list is found, and so is one that is listed twice")
    func differences() {
        let line = "#define NAME \"page/a.js\"\n#include \"embed.h\"\n"
        let list = RepositoryFile(path: "files.c", text: line + line)
        let found = PageFileRule.violations(
            in: list,
            paths: [
                "Sources/CaretPage/page/a.js", "Sources/CaretPage/page/b.css", "Sources/CaretPage/embed.h",
                "Sources/CaretPage/caret/package.json",
            ])
        #expect(found.map(\.path) == ["Sources/CaretPage/page/b.css", "files.c"])
    }
}
