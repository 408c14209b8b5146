import Testing

/// The modules that each target may import, as the architecture says.
struct ImportTable {
    let allowed: [String: Set<String>]

    static let caret = ImportTable(allowed: [
        "Benchmarks/CBareServer": [],
        "Benchmarks/CMalloc": [],
        "Benchmarks/caret-bench": [
            "CBareServer", "CLinux", "CMalloc", "CSQLite", "CZlib", "CaretConfig", "CaretCore", "CaretFormat",
            "CaretLog", "CaretRooms", "CaretServer", "CaretStore", "CaretTLS", "CaretWire", "TestSupport",
            "Dispatch", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Sources/CBuild": [],
        "Sources/CLinux": [],
        "Sources/COpenSSL": [],
        "Sources/CPostgres": [],
        "Sources/CSQLite": [],
        "Sources/CZlib": [],
        "Sources/CaretClient": [
            "CaretConcurrency", "CaretCore", "CaretReplica", "CaretTLS", "CaretWire", "CryptoKit", "Darwin",
            "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Network", "Observation", "Security",
            "Synchronization",
        ],
        "Sources/CaretCommand": [
            "CLinux", "CZlib", "CaretClient", "CaretConfig", "CaretCore", "CaretFormat", "CaretLog",
            "CaretPostgres", "CaretReplica", "CaretRooms", "CaretServer", "CaretSignIn", "CaretStore",
            "CaretSync", "CaretWire", "Dispatch", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Sources/CaretConcurrency": ["Dispatch", "Glibc", "Synchronization"],
        "Sources/CaretConfig": ["CBuild", "CaretWire", "Glibc", "Synchronization"],
        "Sources/CaretCore": [],
        "Sources/CaretFormat": [
            "COpenSSL", "CZlib", "CaretConcurrency", "CaretCore", "CaretLog", "Glibc", "Synchronization",
        ],
        "Sources/CaretLog": ["CaretCore"],
        "Sources/CaretPage": [],
        "Sources/CaretPostgres": [
            "CLinux", "COpenSSL", "CPostgres", "CaretConcurrency", "CaretCore", "CaretFormat", "CaretLog",
            "Dispatch",
            "Glibc", "Synchronization",
        ],
        "Sources/CaretReplica": ["CaretCore", "CaretWire"],
        "Sources/CaretRooms": ["CaretCore", "CaretLog", "CaretWire"],
        "Sources/CaretServer": [
            "CLinux", "COpenSSL", "CZlib", "CaretConcurrency", "CaretConfig", "CaretCore", "CaretFormat",
            "CaretLog", "CaretPage", "CaretRooms", "CaretTLS", "CaretWeb", "CaretWire",
            "Dispatch", "Glibc", "Synchronization",
        ],
        "Sources/CaretSignIn": ["COpenSSL", "CaretLog", "CaretTLS", "CaretWire"],
        "Sources/CaretStore": [
            "CLinux", "COpenSSL", "CSQLite", "CZlib", "CaretConcurrency", "CaretCore", "CaretFormat",
            "CaretLog",
            "Dispatch", "Glibc", "Synchronization",
        ],
        "Sources/CaretSync": [
            "CLinux", "CaretClient", "CaretCore", "CaretLog", "CaretWire", "Dispatch", "FoundationEssentials",
            "Glibc", "Synchronization",
        ],
        "Sources/CaretTLS": ["COpenSSL", "Glibc", "Synchronization"],
        "Sources/CaretViews": ["AppKit", "CaretClient", "CaretCore", "SwiftUI", "UIKit"],
        "Sources/CaretWasm": ["CaretCore", "CaretReplica", "CaretWire"],
        "Sources/CaretWeb": ["CaretCore", "CaretLog", "CaretRooms", "CaretWire"],
        "Sources/CaretWire": ["CaretCore"],
        "Sources/caret": ["CaretCommand", "Glibc"],
        "Sources/caretd": [
            "CaretConfig", "CaretCore", "CaretFormat", "CaretLog", "CaretPostgres", "CaretRooms",
            "CaretServer", "CaretSignIn", "CaretStore", "CaretTLS", "CaretWeb", "CaretWire", "Dispatch",
            "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Tests/BrowserTests": [],
        "Tests/CFaultVFS": [],
        "Tests/CaretClientTests": [
            "AppKit", "CaretClient", "CaretConcurrency", "CaretCore", "CaretReplica", "CaretTLS",
            "CaretViews", "CaretWire", "TestSupport", "UIKit", "Dispatch", "Foundation", "Glibc",
            "Observation", "Synchronization", "Testing",
        ],
        "Tests/CaretCommandTests": [
            "CaretClient", "CaretCommand", "CaretConfig", "CaretCore", "CaretFormat", "CaretLog",
            "CaretSignIn", "CaretStore",
            "CaretSync", "CaretWire", "TestSupport", "Dispatch", "Foundation", "Glibc", "Synchronization",
            "Testing",
        ],
        "Tests/CaretConcurrencyTests": [
            "CaretConcurrency", "Dispatch", "Foundation", "Synchronization", "Testing",
        ],
        "Tests/CaretConfigTests": [
            "CaretConfig", "CaretWire", "TestSupport", "Foundation", "Synchronization", "Testing",
        ],
        "Tests/CaretCoreTests": ["CaretCore", "TestSupport", "Foundation", "Testing"],
        "Tests/CaretFormatTests": ["CaretCore", "CaretFormat", "CaretLog", "TestSupport", "Testing"],
        "Tests/CaretLogTests": ["CaretCore", "CaretLog", "TestSupport", "Testing"],
        "Tests/CaretPageTests": [],
        "Tests/CaretReplicaTests": [
            "CaretCore", "CaretReplica", "CaretWire", "TestSupport", "Foundation", "Testing",
        ],
        "Tests/CaretRoomsTests": [
            "CaretConfig", "CaretCore", "CaretLog", "CaretRooms", "CaretWire", "TestSupport", "Foundation",
            "Testing",
        ],
        "Tests/CaretServerTests": [
            "CaretConfig", "CaretCore", "CaretLog", "CaretRooms", "CaretServer", "CaretTLS", "CaretWeb",
            "CaretWire", "TestSupport",
            "Dispatch", "Glibc", "Synchronization", "Testing",
        ],
        "Tests/CaretSignInTests": [
            "CaretLog", "CaretSignIn", "CaretWire", "TestSupport", "Glibc", "Testing",
        ],
        "Tests/CaretStoreTests": [
            "CaretConcurrency", "CaretCore", "CaretFormat", "CaretLog", "CaretPostgres", "CaretStore",
            "TestSupport", "Dispatch", "Foundation", "Glibc",
            "Synchronization", "Testing",
        ],
        "Tests/CaretSyncTests": [
            "CaretClient", "CaretCore", "CaretSync", "CaretWire", "TestSupport", "Foundation",
            "Synchronization", "Testing",
        ],
        "Tests/CaretTLSTests": ["COpenSSL", "CaretTLS", "TestSupport", "Glibc", "Testing"],
        "Tests/CaretWebTests": [
            "CaretCore", "CaretLog", "CaretRooms", "CaretWeb", "CaretWire", "TestSupport", "Foundation",
            "Testing",
        ],
        "Tests/CaretWireTests": ["CaretCore", "CaretWire", "TestSupport", "Foundation", "Testing"],
        "Tests/LiveTests": [
            "CaretCore", "CaretSignIn", "CaretTLS", "CaretWire", "TestSupport", "Dispatch", "Foundation",
            "Glibc", "Testing",
        ],
        "Tests/ClientWriter": ["CaretClient", "CaretCore", "Glibc"],
        "Tests/EditorTests": [],
        "Tests/NodeSupport": [],
        "Tests/OperationsTests": [],
        "Tests/ScenarioTests": [
            "CaretConfig", "CaretCore", "CaretLog", "CaretReplica", "CaretRooms", "CaretServer", "CaretTLS",
            "CaretWeb", "CaretWire", "TestSupport", "Foundation", "Testing",
        ],
        "Tests/StoreFaults": [
            "CFaultVFS", "CaretCore", "CaretFormat", "CaretLog", "CaretStore", "TestSupport", "Glibc",
            "Synchronization",
        ],
        "Tests/StoreWriter": [
            "CaretCore", "CaretLog", "CaretStore", "TestSupport", "Glibc", "Synchronization",
        ],
        "Tests/TestSupport": [
            "CLinux", "CaretCore", "CaretLog", "CaretRooms", "CaretTLS", "CaretWire", "CZlib", "Dispatch",
            "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Tests/TidyTests": ["TestSupport", "Foundation", "Testing"],
        "Tests/WebSocketEcho": ["CaretServer", "CaretWeb", "Dispatch", "Glibc"],
        "Tests/TokenFuzz": ["CaretLog", "CaretWire"], "Tests/WebFuzz": ["CaretWire"], "Tests/WireFuzz": [],
    ])

    /// The imports that the row of the file's target does not allow. Targets without a row are not checked
    /// here.
    func violations(in file: RepositoryFile) -> [Violation] {
        guard let row = allowed[file.targetFolder] else { return [] }
        return imports(in: SwiftSource(file.text)).filter { !row.contains($0.module) }.map {
            Violation(
                path: file.path, line: $0.line,
                reason: "\(file.targetFolder) may not import \($0.module)")
        }
    }

    /// The differences between the rows and the folders.
    func violations(folders: [String]) -> [Violation] {
        let rows = Set(allowed.keys)
        let missing = Set(folders).subtracting(rows).map {
            Violation(path: $0, reason: "this target has no row in the table of imports")
        }
        let left = rows.subtracting(folders).map {
            Violation(path: $0, reason: "the table of imports has a row for a target that does not exist")
        }
        return (missing + left).sorted { $0.path < $1.path }
    }

    private func imports(in source: SwiftSource) -> [(module: String, line: Int)] {
        let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let words = source.tokens.map(\.text)
        return words.indices.dropLast().filter { words[$0] == "import" }.map { index in
            let isKind = kinds.contains(words[index + 1]) && index + 2 < words.count
            return (words[index + (isKind ? 2 : 1)], source.tokens[index].line)
        }
    }
}

/// Tests use package access. `@testable` would make the release build compile every module twice: once for
/// what ships, and once for the tests.
enum TestableRule {
    static func violations(in file: RepositoryFile) -> [Violation] {
        SwiftSource(file.text).lines(of: ["@", "testable"]).map {
            Violation(path: file.path, line: $0, reason: "use `package` access for what the test needs")
        }
    }
}

@Suite("Which modules a target may import")
struct ImportTests {
    private let table = ImportTable(allowed: ["Sources/Leaf": [], "Sources/Tree": ["Leaf"]])

    @Test("every import is allowed by the table of imports")
    func importsFollowArrows() throws {
        expectNone(try Repository.swiftFiles().flatMap(ImportTable.caret.violations(in:)))
    }

    @Test("no test uses `@testable import`")
    func noneTestable() throws {
        expectNone(try Repository.swiftFiles().flatMap(TestableRule.violations(in:)))
    }

    @Test("`@testable import` is found in code, but not in a string")
    func testableIsFound() {
        let file = RepositoryFile(
            path: "Tests/LeafTests/LeafTests.swift", text: "let text = \"@testable\"\n@testable import Leaf\n"
        )
        #expect(TestableRule.violations(in: file).map(\.line) == [2])
    }

    @Test("every target has a row in the table of imports, and every row a target")
    func rowsMatchTargets() throws {
        expectNone(ImportTable.caret.violations(folders: try Repository.targetFolders()))
    }

    @Test(
        "every form of a forbidden import is found",
        arguments: [
            "import Tree", "public import Tree", "@testable import Tree", "@preconcurrency import Tree",
            "import struct Tree.Apple", "import Tree.Branch", "let leaf = 1; import Tree",
        ])
    func forbiddenImport(text: String) {
        let file = RepositoryFile(path: "Sources/Leaf/Leaf.swift", text: "/// Words.\n" + text)
        #expect(table.violations(in: file).map(\.reason) == ["Sources/Leaf may not import Tree"])
    }

    @Test(
        "an allowed import, a comment and a string are not violations",
        arguments: ["import Leaf", "// import Glibc", "/* import Glibc */", "let text = \"import Glibc\""])
    func allowedImport(text: String) {
        #expect(table.violations(in: RepositoryFile(path: "Sources/Tree/Tree.swift", text: text)).isEmpty)
    }

    @Test("a target without a row is found, and so is a row without a target")
    func rowsAgainstFolders() {
        let found = table.violations(folders: ["Sources/Leaf", "Sources/Root"])
        #expect(found.map(\.path) == ["Sources/Root", "Sources/Tree"])
    }
}
