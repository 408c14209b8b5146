import Testing

/// What the targets for Apple's systems may use only under a condition, because another system, or an older
/// version of a system, does not have it. There is no Apple compiler in the checks, so this rule replaces one.
enum PlatformRule {
    static let targets = [
        "Sources/CaretClient", "Sources/CaretConcurrency", "Sources/CaretCore", "Sources/CaretReplica",
        "Sources/CaretViews", "Sources/CaretWire",
    ]

    /// Modules that some systems lack. An import needs a condition with `canImport`.
    private static let modules: Set = [
        "AppKit", "CaretTLS", "COpenSSL", "CryptoKit", "Darwin", "Foundation", "FoundationEssentials",
        "Glibc",
        "Musl", "Network", "Security", "SwiftUI", "UIKit",
    ]

    /// What only Linux has. Each use needs a condition with `canImport(Glibc)`.
    private static let ofLinux: Set = [
        "Glibc", "MSG_NOSIGNAL", "O_PATH", "O_TMPFILE", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "accept4",
        "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd", "fdatasync", "getrandom", "gettid", "pipe2",
        "signalfd", "timerfd_create",
    ]

    /// What the lowest versions of Apple's systems do not have. Each use needs `#available` in the same file.
    private static let ofLaterVersions: [[String]] = [
        ["UTF8Span"], ["utf8Span"], ["InlineArray"], ["Observations"], [".", "span"], [".", "mutableSpan"],
        ["isolated", "deinit"],
    ]

    static func violations(in file: RepositoryFile) -> [Violation] {
        guard targets.contains(file.targetFolder) else { return [] }
        let conditions = conditions(of: file)
        let source = SwiftSource(file.text)
        let isVersioned = file.text.contains("#available(macOS 26, iOS 26, *)")
        var found: [(line: Int, reason: String)] = []
        for (index, token) in source.tokens.enumerated() {
            let condition = conditions[token.line, default: ""]
            let isImport = index > 0 && source.tokens[index - 1].text == "import"
            if isImport, modules.contains(token.text), !condition.contains("canImport") {
                found.append((token.line, "importing \(token.text) needs `#if canImport`"))
            } else if ofLinux.contains(token.text), !condition.contains("canImport(Glibc)") {
                found.append((token.line, "\(token.text) needs `#if canImport(Glibc)`"))
            }
        }
        for words in ofLaterVersions where !isVersioned {
            for line in source.lines(of: words) {
                found.append(
                    (line, "\(words.joined(separator: " ")) needs `#available(macOS 26, iOS 26, *)`"))
            }
        }
        return found.map { Violation(path: file.path, line: $0.line, reason: $0.reason) }
    }

    /// For each line inside `#if`, the conditions around it. `#else` keeps the condition that it negates. A line
    /// with a condition has that condition itself, because it may name a module.
    private static func conditions(of file: RepositoryFile) -> [Int: String] {
        var open: [String] = []
        var found: [Int: String] = [:]
        for (number, line) in file.numberedLines {
            let words = line.split { $0 == " " }
            switch words.first {
            case "#if": open.append(String(line))
            case "#elseif": open.append((open.popLast() ?? "") + line)
            default: break
            }
            found[number] = open.joined()
            if words.first == "#endif" { _ = open.popLast() }
        }
        return found
    }
}

@Suite("The targets for Apple's systems") struct PlatformTests {
    @Test("what a system may lack is used only under a condition")
    func guarded() throws {
        expectNone(try Repository.swiftFiles().flatMap(PlatformRule.violations(in:)))
    }

    @Test("the lowest versions of Apple's systems are macOS 15 and iOS 18")
    func floor() throws {
        let manifest = try #require(try Repository.textFiles().first { $0.path == "Package.swift" })
        #expect(manifest.text.contains("platforms: [.macOS(.v15), .iOS(.v18)]"))
    }

    @Test(
        "an unguarded import and a symbol of one system are found",
        arguments: [
            "import Glibc", "public import Glibc", "import FoundationEssentials", "import Network",
            "#if DEBUG\nimport Glibc\n#endif", "let flag = MSG_NOSIGNAL", "_ = Glibc.close(file)",
            "#if canImport(Network)\n#endif\nimport Network",
            "#if canImport(Darwin)\nlet a = SOCK_CLOEXEC\n#endif",
            "let bytes = UTF8Span(unchecked: piece)", "let all = bytes.span", "isolated deinit {}",
        ])
    func planted(text: String) {
        let file = RepositoryFile(path: "Sources/CaretClient/Planted.swift", text: text + "\n")
        #expect(PlatformRule.violations(in: file).count == 1)
    }

    @Test(
        "a guarded import, other targets, comments and strings are not violations",
        arguments: [
            ("Sources/CaretClient/A.swift", "#if canImport(Glibc)\n    import Glibc\n#endif"),
            (
                "Sources/CaretClient/A.swift",
                "#if canImport(Darwin)\nimport Darwin\n#elseif canImport(Glibc)\nimport Glibc\n#endif"
            ),
            ("Sources/CaretServer/A.swift", "import Glibc"),
            ("Sources/CaretClient/A.swift", "// MSG_NOSIGNAL\nlet word = \"UTF8Span\"\n"),
            (
                "Sources/CaretCore/A.swift",
                "if #available(macOS 26, iOS 26, *) { _ = UTF8Span(unchecked: piece) }"
            ),
        ])
    func allowed(path: String, text: String) {
        #expect(PlatformRule.violations(in: RepositoryFile(path: path, text: text)).isEmpty)
    }
}
