import CaretCommand
import CaretConfig
import Foundation
import TestSupport
import Testing

@Suite("Help and man pages generated from the subcommand descriptions") struct ManualTests {
    @Test("docs/cli.md is the output of `caret help --markdown`")
    func manual() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appending(path: "docs/cli.md"), encoding: .utf8)
        #expect(page == MarkdownManual.text, "run: caret help --markdown >docs/cli.md")
    }

    private static let pages = ["caret": ManPage.caret, "caretd": ManPage.caretd]

    @Test("`help --man` prints the man pages", arguments: ["caret", "caretd"])
    func man(name: String) throws {
        let words = name == "caret" ? ["help", "--man"] : ["help", "--man", name]
        let run = try Run(ChildProgram.path(of: "caret"), words, environment: [:])
        #expect(run.status == 0 && run.output == Self.pages[name])
    }

    @Test("a man page has only known macros and ASCII", arguments: ["caret", "caretd"])
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
        "groff prints no warnings for a man page",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "groff is not installed"),
        arguments: ["caret", "caretd"])
    func groff(name: String) throws {
        let text = try #require(Self.pages[name])
        let run = try Run("/usr/bin/groff", ["-man", "-ww", "-Tascii", "-z"], input: text, environment: [:])
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    @Test("every subcommand, option and key is in the man pages")
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

    @Test("help wraps its lines at 100 columns, and not before")
    func wrapped() {
        let lines = CommandList.descriptions.flatMap { HelpPage.text(of: $0).split(separator: "\n") }
        #expect(lines.map(\.count).max() == 100)
    }

    @Test("`help token` prints the help of all subcommands that begin with token")
    func family() throws {
        func help(_ words: String...) throws -> Run {
            try Run(ChildProgram.path(of: "caret"), ["help"] + words, environment: [:])
        }
        let members = CommandList.descriptions.filter { $0.name.hasPrefix("token ") }
        #expect(members.count == 6)
        let texts = members.map { HelpPage.text(of: $0) }
        #expect(try help("token").output == texts.joined(separator: "\n"))
        #expect(try help("token", "add").output == texts[0])
        #expect(try help().output == HelpPage.overview)
        for words in [["token", "x"], ["rm", "x"]] {
            let wrong = try help(words[0], words[1])
            let message = "caret: unknown subcommand \"\(words[0]) x\"\n"
            #expect(wrong.status == 2 && wrong.errors.hasPrefix(message), "\(wrong)")
        }
    }

    @Test("the man page has all words of the help texts, in the same order")
    func manWords() throws {
        let lines = try #require(Self.pages["caret"]).split(separator: "\n").filter { $0.first != "." }
        var page = lines.joined(separator: " ")
        #expect(page.contains("\\fBDOC\\fP is the name of a document, and \\fBDOC@REV\\fP one"))
        for (escape, text) in [("\\fB", ""), ("\\fP", ""), ("\\-", "-"), ("\\&", "")] {
            page = page.replacing(escape, with: text)
        }
        for command in CommandList.descriptions {
            let help = HelpPage.text(of: command).dropFirst("usage: ".count)
                .replacing("Options of all subcommands: caret help", with: "").replacing("`", with: "")
            let words = help.split { $0.isWhitespace }.joined(separator: " ")
            #expect(page.contains(words), "\(command.name)")
        }
    }

    @Test("the man page of caretd has one entry for each option and key")
    func manEntries() throws {
        let lines = try #require(Self.pages["caretd"]).split(separator: "\n")
        let tags = zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }.map { $0.1 }
        let keys = ConfigurationKey.all.map { key in
            key.placeholder.isEmpty ? key.flag : key.flag + " " + key.placeholder
        }
        let options = (HelpText.options.map(\.usage) + keys).map { usage in
            "\\fB" + usage.replacing("-", with: "\\-") + "\\fP"
        }
        #expect(tags.prefix(options.count).elementsEqual(options) { $0 == $1 })
        // The other eight rows: two for the signals, three for exit codes, and three for files.
        #expect(tags.count == options.count + 8)
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
