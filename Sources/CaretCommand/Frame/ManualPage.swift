/// `docs/cli.md`, generated from the descriptions.
package enum ManualPage {
    /// The ways to write a document or a revision.
    static let forms: [(written: String, meaning: String)] = [
        ("notes/today", "its newest revision"),
        ("notes/today@900", "revision 900"),
        (
            "notes/today@2h",
            "the newest one two hours ago; also `s`, `m` or `min`, `d`, `w`; an error where it began later"
        ),
        ("notes/today@2026-11-20", "the newest one when that day began, where you are"),
        (
            "notes/today@2026-11-20T14:30",
            "the newest one at that time; `:05` for seconds, `Z` or `+01:00` for elsewhere"
        ),
        ("ann@home@", "a name that has an `@` itself"),
    ]

    static let targets = """
        `--data DIR` reaches the server that runs on a data folder by its socket `DIR/caretd.sock`, and there everybody is
        admin whom the system lets in. Where no server runs, the subcommand has a server of its own on the files for as long
        as it takes, and no other one can begin meanwhile.
        """

    static let terminal = """
        On a terminal there are tables and colours, and control characters are shown and not obeyed: names and texts may come
        from anyone. Elsewhere the fields of a row stand with tabs between them, without titles, and times are in UTC.

        Errors go to standard error. With `--json` each is one JSON value on a line, `{"error":"…","advice":"…","code":1}`:
        what happened, what to do next or null, and the exit code.
        """

    package static var text: String {
        """
        # The command `caret`

        Made by `caret help --markdown` from the subcommands themselves; a test finds it out of date.

        ## Documents and revisions

        `DOC` is the name of a document and `DOC@REV` a revision of it, everywhere in the same way:

        | written | means |
        | --- | --- |
        \(forms.map { "| `\($0.written)` | \($0.meaning) |" }.joined(separator: "\n"))

        ## Options that all subcommands take

        \(table(CommonOptions.all))

        \(targets)

        \(terminal)

        ## What it ends with

        | code | means |
        | --- | --- |
        \(ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n"))

        ## Subcommands

        \(CommandList.descriptions.map(section).joined(separator: "\n"))
        """
    }

    private static func section(_ command: CommandDescription) -> String {
        var text = "### caret \(command.name)\n\n```\n\(command.usage)\n```\n\n\(command.summary.sentence)\n"
        if !command.details.isEmpty { text += command.details + "\n" }
        if !command.arguments.isEmpty {
            text +=
                "\n" + command.arguments.map { "- `\($0.name)`: \($0.summary)" }.joined(separator: "\n")
                + "\n"
        }
        if !command.options.isEmpty { text += "\n\(table(command.options))\n" }
        return text
    }

    private static func table(_ options: [Option]) -> String {
        let rows = options.map { "| `\($0.usage)` | \($0.summary) |" }
        return (["| option | means |", "| --- | --- |"] + rows).joined(separator: "\n")
    }
}
