import CaretCommand
import Foundation
import TestSupport
import Testing

/// Types words at the prompt of each real shell, and presses Tab.
@Suite("Completion of caret's command line in a shell", .serialized) struct CompletionTests {
    private static let prompt = "ready>"

    /// The typed words, and the completed words after Tab.
    private static let cases = [
        ("caret pin", "caret ping"), ("caret token li", "caret token list"),
        ("caret --server 127.0.0.1:7 sta", "caret --server 127.0.0.1:7 stat"),
        ("caret completion fi", "caret completion fish"), ("caret put --ba", "caret put --base"),
        ("caret token add --wr", "caret token add --write"), ("caret cat ag", "caret cat agenda"),
        ("caret cat notes/tw", #"caret cat notes/two\ words"#),
        ("caret diff agenda@1 ag", "caret diff agenda@1 agenda"),
        ("caret put agenda lo", "caret put agenda local.txt"),
    ]

    @Test(
        "each shell completes subcommands, options, documents and files",
        arguments: CompletionScript.allCases)
    func completion(shell: CompletionScript) throws {
        let session = try CommandSession()
        for name in ["agenda", "notes/two words"] {
            #expect(try session.caret(["put", name, "--create"], input: "x\n").status == 0)
        }
        let programs = URL(filePath: ChildProgram.path(of: "caret")).deletingLastPathComponent().path
        let screen = try TerminalScreen(
            running: shell.words, on: session, columns: 100,
            environment: [
                "PATH": "\(programs):/usr/bin:/bin", "CARET_SERVER": session.address,
                "HOME": session.folder.path,
            ])
        try "".write(
            to: screen.folder.appending(path: "local.txt"), atomically: true, encoding: .utf8)
        for line in shell.preparation { try screen.type(line) }
        for (begun, completed) in Self.cases {
            try screen.type("clear")
            try screen.waits { $0 == Self.prompt }
            try screen.press("-l", begun)
            try screen.press("Tab")
            try screen.waits { $0 == "\(Self.prompt) \(completed)" }
            try screen.press("C-u")
        }
    }
}

extension CompletionScript {
    /// Starts the shell without the user's settings.
    fileprivate var words: [String] {
        switch self {
        case .bash: ["bash", "--norc", "--noprofile", "-i"]
        case .zsh: ["zsh", "-f"]
        case .fish: ["fish", "--no-config"]
        }
    }

    fileprivate var preparation: [String] {
        switch self {
        case .bash: [#"eval "$(caret completion bash)""#, "PS1='ready> '"]
        case .zsh:
            [
                "caret completion zsh >_caret; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D",
                "PS1='ready> '",
            ]
        case .fish:
            [
                "caret completion fish | source; set -g fish_autosuggestion_enabled 0",
                "function fish_prompt; echo 'ready> '; end",
            ]
        }
    }
}
