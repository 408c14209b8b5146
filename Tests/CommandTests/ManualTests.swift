import Foundation
import Testing

@testable import caret

@Suite("What is made from the descriptions") struct ManualTests {
    @Test("docs/cli.md is what caret help --markdown prints")
    func manual() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appending(path: "docs/cli.md"), encoding: .utf8)
        #expect(page == ManualPage.text, "run: caret help --markdown >docs/cli.md")
    }

    @Test("help fits a terminal of 110 columns")
    func help() {
        for text in CommandList.descriptions.map(HelpPage.text(of:)) + [HelpPage.overview] {
            for line in text.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
        }
    }

    @Test(
        "every subcommand and option is in every script of completion", arguments: CompletionScript.allCases)
    func completion(script: CompletionScript) {
        for command in CommandList.descriptions {
            for word in command.words { #expect(script.text.contains(word)) }
            for option in command.options { #expect(script.text.contains(option.name)) }
        }
    }

    @Test(
        "bash is offered what fits",
        arguments: [
            ("p", "ping put"), ("token ''", "add list revoke"), ("--server 1:1 st", "stat"),
            ("completion ''", "bash zsh fish"), ("put --b", "--base"), ("token add --w", "--write"),
            ("put a ''", ""), ("cat --server ''", ""),
        ])
    func bash(words: String, offered: String) throws {
        let ask = """
            COMP_WORDS=(caret \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _caret; echo "${COMPREPLY[*]}"
            """
        let end = try Run("/usr/bin/env", ["bash", "-c", CompletionScript.bash.text + ask], environment: [:])
        #expect(end.output == offered + "\n" && end.errors == "")
    }
}
