import CaretClient
import Glibc

/// Vim or Neovim with the plugin for Caret, so that the document is live in the editor.
struct PluginEditor {
    private let shellCommand: String
    /// The path of the plugin.
    private let path: String

    /// How long to wait for the last edits.
    private static let patience = Duration.seconds(10)

    /// Nil if `editor`, a shell command, is another program, or if there is no plugin for it on this machine.
    init?(_ editor: String) {
        let name = editor.split(separator: " ").first?.split(separator: "/").last
        let plugin: String
        switch name {
        case "vim": plugin = "vim/plugin/caret.vim"
        case "nvim": plugin = "neovim/plugin/caret.lua"
        default: return nil
        }
        guard let folder = PluginEditor.folder else { return nil }
        path = "\(folder)/\(plugin)"
        if access(path, R_OK) != 0 { return nil }
        // The vim of Debian's package vim-tiny has no jobs.
        let condition = name == "vim" ? "\(editor) --version 2>&1 | grep -q '[+]job'" : "true"
        if system(condition) != 0 { return nil }
        // Paths and names can contain anything, so they are not a part of the command.
        shellCommand =
            "\(editor) --cmd 'let g:caret_command = json_decode($CARET_COMMAND)' -S \"$CARET_PLUGIN\""
            + " -c 'execute $CARET_OPEN $CARET_DOCUMENT'"
    }

    /// The folder of all plugins: that of an installed package or archive, or that of a checkout.
    private static var folder: String? {
        let parts = program.split(separator: "/").dropLast().map(String.init)
        let above = parts.indices.reversed().map { "/" + parts[..<$0].joined(separator: "/") }
        let folders = above.prefix(4).flatMap { parent -> [String] in
            [parent + "/share/caret/editors", parent + "/Clients/editors"]
        }
        return folders.first { access($0, R_OK) == 0 }
    }

    /// The path of this program.
    private static var program: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "caret" }
        defer { free(path) }
        return String(cString: path)
    }

    /// Edits a document until the editor exits. The plugin keeps unsaved edits in `folder`.
    func edit(
        _ document: String, creating: Bool, as person: PersonInfo, keepingIn folder: EditingFolder,
        _ context: CommandContext
    ) async throws {
        if folder.hasEdits {
            context.note("\(document.printable): your unsaved edits from last time are restored")
        } else {
            try await context.requireServer()
            // The editor would show a refusal only in passing.
            if !creating {
                try await context.withRunningServer(about: document) { _ = try await $0.read(document) }
            }
        }
        let status = try await run(document, creating: creating, as: person, context)
        try await report(document, folder, context)
        if status != 0 {
            throw Failure("the editor exited with status \(status); the text that was typed is saved")
        }
    }

    private func run(
        _ document: String, creating: Bool, as person: PersonInfo, _ context: CommandContext
    ) async throws -> Int32 {
        let command = JSON.list(([PluginEditor.program] + context.target.words).map { .text($0) })
        setenv("CARET_COMMAND", command.line, 1)
        setenv("CARET_PLUGIN", path, 1)
        setenv("CARET_OPEN", creating ? "CaretNew" : "CaretOpen", 1)
        setenv("CARET_DOCUMENT", document, 1)
        if let token = context.token { setenv("CARET_TOKEN", token, 1) }
        if let name = person.name { setenv(PersonOptions.nameVariable, name, 1) }
        if let color = person.color { setenv(PersonOptions.colorVariable, color, 1) }
        return try await ForegroundProgram(["sh", "-c", shellCommand]).end()
    }

    /// Waits a while until the plugin has saved all edits, and reports whether it has.
    private func report(_ document: String, _ folder: EditingFolder, _ context: CommandContext) async throws {
        let end = ContinuousClock.now + PluginEditor.patience
        while folder.hasEdits, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        if folder.hasEdits {
            throw Failure(
                "\(document.printable): not saved yet; your edits are kept on this machine",
                advice: "`caret edit \(document.printable)` continues with them", code: .unreachable)
        }
        let revision = try await context.withRunningServer(about: document) { client in
            try await client.read(document).revision.value
        }
        context.report(
            .object(["doc": .text(document), "rev": .number(revision)]),
            "\(document.printable): all edits are saved, at revision \(revision)")
    }
}
