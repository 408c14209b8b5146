import CaretCommand
import Foundation
import TestSupport
import Testing

@Suite("The commands and code on the documentation pages") struct PageTests {
    /// The setup for a page: commands that run before the commands of the page.
    private static let before = [
        "README.md": """
        printf 'Welcome\\n' | caret put welcome --create
        printf 'Welcome\\nMilk\\n' | caret put welcome
        """
    ]

    /// OperationsTests run the commands of this page, in one shell, with PostgreSQL.
    private static let elsewhere = "docs/postgresql.md"

    private static let pages = Pages.all.filter {
        $0.path != elsewhere && !Pages.commands(of: $0.page).isEmpty
    }.map(\.path)

    @Test(
        "a shell runs every command of a page, except the skipped ones",
        arguments: pages)
    func commands(path: String) throws {
        let session = try CommandSession()
        let page = try #require(Pages.page(path))
        for command in Self.before[path, default: ""].split(separator: "\n") {
            #expect(try session.shell(String(command)).status == 0, "before \(path): \(command)")
        }
        for command in Pages.commands(of: page) where !isSkipped(command) {
            let run = try session.shell(command)
            #expect(run.status == 0 && run.errors.isEmpty, "\(path): \(command)\n\(run.output)\(run.errors)")
        }
    }

    @Test("a block with commands has the language sh")
    func blocks() {
        #expect(Pages.all.count > 20 && Self.pages.count >= 3)
        // docs/cli.md is generated, and shows the usage of subcommands in blocks.
        for (path, page) in Pages.all where path != "docs/cli.md" {
            for block in page.blocks where block.language != "sh" {
                let found = block.lines.first { Pages.isCommand($0.drop { "$> ".contains($0) }.description) }
                #expect(found == nil, "\(path):\(block.line): \(found ?? "")")
            }
        }
    }

    @Test("a command in running text exists with its options")
    func named() throws {
        for (path, page) in Pages.all {
            for code in page.code where Pages.isCommand(code.text) && !isSkipped(code.text) {
                let words = code.text.split(separator: " ").map { String($0.filter { !"\",".contains($0) }) }
                let isThere = (try? isThere(words)) ?? false
                #expect(isThere, "\(path):\(code.line): \(code.text)")
            }
        }
    }

    @Test("every command on the list of skipped commands is on a page")
    func skipped() {
        let known = Pages.all.flatMap { Pages.commands(of: $0.page) + $0.page.code.map(\.text) }
        for entry in SkippedCommand.all {
            #expect(known.contains { $0.hasPrefix(entry.beginning) }, "\(entry.beginning): \(entry.reason)")
        }
    }

    @Test("every test filter in a command on the pages matches a test")
    func filters() throws {
        let folder = Pages.root.appending(path: "Tests")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let sources = try paths.filter { $0.hasSuffix("Tests.swift") }.map { try Pages.text("Tests/\($0)") }
        let filters = Pages.all.flatMap { Pages.commands(of: $0.page) }
            .filter { $0.contains(" swift test ") }.compactMap { $0.split(separator: "--filter ").last }
            .map { String($0.split(separator: ".").last ?? $0) }
        #expect(filters.count >= 2)
        for name in filters {
            let isThere = sources.contains { $0.contains("func \(name)(") || $0.contains("struct \(name) ") }
            #expect(isThere, "no test is called \(name)")
        }
    }

    @Test("a test compiles and runs every line of Swift on the pages")
    func swift() throws {
        let guide = try Pages.text("Tests/CaretClientTests/GuideTests.swift")
        let compiled = Set(guide.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        for path in ["README.md", "docs/client.md"] {
            let blocks = try #require(Pages.page(path)).blocks.filter { $0.language == "swift" }
            #expect(!blocks.isEmpty)
            for line in blocks.filter({ !isManifest($0) }).flatMap(\.lines) {
                // The test uses variables in place of the address, the port, the folder and the socket on the
                // page.
                let line = line.trimmingCharacters(in: .whitespaces)
                    .replacing("\"127.0.0.1\"", with: "host").replacing("22738", with: "port")
                    .replacing("\"unsaved\"", with: "folder")
                    .replacing(".unix(path: \"data/caretd.sock\")", with: "server.socket")
                #expect(line.isEmpty || compiled.contains(line), "\(path): \(line)")
            }
        }
    }

    @Test("the Swift guide's manifest names an existing package and product")
    func manifest() throws {
        let own = try Pages.text("Package.swift")
        let blocks = try #require(Pages.page("docs/client.md")).blocks.filter { isManifest($0) }
        let lines = try #require(blocks.first).lines
        // An app needs the same version of the Swift tools, or a newer version.
        #expect(own.hasPrefix(lines[0] + "\n"))
        let text = lines.joined(separator: "\n")
        let product = try #require(text.firstMatch(of: /product\(name: "(\w+)", package: "(\w+)"\)/)?.output)
        #expect(own.contains(".library(name: \"\(product.1)\""))
        #expect(text.contains("(path: \"../\(product.2)\")"))
        #expect(own.contains("let package = Package(\n    name: \"\(product.2)\""))
    }

    private func isManifest(_ block: MarkdownPage.Block) -> Bool {
        block.lines.first?.hasPrefix("// swift-tools-version:") == true
    }

    private func isSkipped(_ command: String) -> Bool {
        SkippedCommand.all.contains { command.hasPrefix($0.beginning) }
    }

    /// Whether the program accepts all words of this command. Other tests check what the commands do.
    private func isThere(_ words: [String]) throws -> Bool {
        switch words[0] {
        case "caret":
            if words.count == 1 { return true }
            let parsed = try ParsedCommand(words.dropFirst() + ["--help"])
            guard case .help(let command?) = parsed.action else { return false }
            return parsed.arguments.positional.count <= command.arguments.count
        case "caretd":
            let options = words.dropFirst() + ["--check-config"]
            return try Run(ChildProgram.path(of: "caretd"), Array(options), environment: [:]).status == 0
        case "caret-bench":
            let source = try Pages.text("Benchmarks/caret-bench/Frame/CaretBench.swift")
            return words.dropFirst().first.map { source.contains("\"\($0)\"") } ?? true
        case let script where script.hasPrefix("scripts/"):
            let text = try Pages.text(script)
            return words.dropFirst().allSatisfy { !$0.hasPrefix("--") || text.contains($0) }
        // Another test runs the session of README.md with `nc`, so this test checks only the address.
        case "nc": return words.count == 1 || words.dropFirst() == ["127.0.0.1", "22738"]
        // Inline code may name only a part of a command. Another test runs the complete command, which is in
        // a block.
        default: return words.count == 1 || words.contains("…")
        }
    }
}
