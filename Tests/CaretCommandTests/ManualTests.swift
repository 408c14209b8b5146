import CaretCommand
import CaretConfig
import Foundation
import Testing

@Suite("Pages generated from the descriptions") struct ManualTests {
    @Test("docs/cli.md is the output of caret help --markdown")
    func manual() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appending(path: "docs/cli.md"), encoding: .utf8)
        #expect(page == ManualPage.text, "run: caret help --markdown >docs/cli.md")
    }

    private static let pages = ["caret": ManPage.caret, "caretd": ManPage.caretd]

    @Test("help --man prints the pages for man", arguments: ["caret", "caretd"])
    func man(name: String) throws {
        let words = name == "caret" ? ["help", "--man"] : ["help", "--man", name]
        let run = try Run(Run.path(of: "caret"), words, environment: [:])
        #expect(run.status == 0 && run.output == Self.pages[name])
    }

    @Test("a page for man has only known macros and ASCII", arguments: ["caret", "caretd"])
    func roff(name: String) throws {
        let text = try #require(Self.pages[name])
        let macros: Set = [".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            #expect(!line.isEmpty && line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
            let isMacro = line.first.map { ".'".contains($0) } ?? false
            #expect(!isMacro || macros.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }

    @Test(
        "groff prints no warnings for a page for man",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "groff is not installed"),
        arguments: ["caret", "caretd"])
    func groff(name: String) throws {
        let text = try #require(Self.pages[name])
        let run = try Run("/usr/bin/groff", ["-man", "-ww", "-Tascii", "-z"], input: text, environment: [:])
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    @Test("every subcommand, option and key is in the pages for man")
    func manIsWhole() {
        let shown = Self.pages.mapValues { $0.replacing("\\-", with: "-") }
        for command in CommandList.descriptions {
            #expect(shown["caret"]?.contains("\n.SS caret \(command.name)\n") == true)
            for option in command.options { #expect(shown["caret"]?.contains(option.usage) == true) }
        }
        for key in ConfigurationKey.all {
            #expect(
                shown["caretd"]?.contains("\n\\fB\(key.flag)") == true
                    && shown["caretd"]?.contains(key.variable) == true)
        }
    }

    @Test("help fits a terminal of 110 columns")
    func help() {
        for text in CommandList.descriptions.map(HelpPage.text(of:)) + [HelpPage.overview] {
            for line in text.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
        }
    }

    @Test(
        "every completion script has every subcommand and option", arguments: CompletionScript.allCases)
    func completion(script: CompletionScript) {
        for command in CommandList.descriptions {
            for word in command.words { #expect(script.text.contains(word)) }
            for option in command.options { #expect(script.text.contains(option.name)) }
        }
    }
}
