import CaretConfig

/// The pages for `man`, generated from the same descriptions as help.
package enum ManPage {
    package static var caret: String {
        var page = Roff("caret", section: 1, version: Version.number)
        page.section("Name")
        page.paragraph("caret - reads, writes and administers the documents of a caretd server")
        page.section("Synopsis")
        page.command("caret SUBCOMMAND [arguments] [options]")
        page.section("Documents and revisions")
        page.paragraph("`DOC` is the name of a document, and `DOC@REV` one of its revisions.")
        for form in MarkdownManual.forms { page.entry(form.written, form.meaning) }
        page.section("Options of all subcommands")
        for option in CommonOptions.all { page.entry(option.usage, option.summary) }
        page.paragraph(MarkdownManual.targets)
        page.paragraph(MarkdownManual.terminal)
        page.section("Subcommands")
        for command in CommandList.descriptions { add(command, to: &page) }
        page.section("Exit status")
        for code in ExitCode.allCases { page.entry(String(code.rawValue), code.meaning) }
        page.section("See also")
        page.paragraph("`caretd`(8)")
        return page.text
    }

    private static func add(_ command: CommandDescription, to page: inout Roff) {
        page.subsection("caret \(command.name)")
        page.command(command.usage)
        page.paragraph(command.summary.sentence + (command.details.isEmpty ? "" : " " + command.details))
        for argument in command.arguments { page.entry(argument.name, argument.summary) }
        for option in command.options { page.entry(option.usage, option.summary) }
    }

    package static var caretd: String {
        var page = Roff("caretd", section: 8, version: Version.number)
        page.section("Name")
        page.paragraph("caretd - a server for texts that several users and programs edit at the same time")
        page.section("Synopsis")
        page.command(HelpText.usage)
        page.section("Options")
        for option in HelpText.options { page.entry(option.usage, option.meaning) }
        page.section("Keys")
        page.paragraph(
            """
            Each key can be set by an option, by an environment variable, or in the file that `--config` names. Options \
            take precedence over variables, and variables over the file.
            """)
        for group in ConfigurationKey.Group.allCases {
            page.subsection(group.rawValue)
            for key in ConfigurationKey.all where key.group == group { add(key, to: &page) }
        }
        page.section("Signals")
        page.entry(
            "SIGTERM, SIGINT",
            "notifies all clients and exits within five seconds; a second signal exits at once")
        page.entry(
            "SIGHUP",
            "reads the configuration again, and applies the keys that can change while the server runs")
        page.section("Exit status")
        page.entry("0", "stopped by a signal; all acked changes are on disk")
        page.entry("1", "could not start, or a write failed; the log names the reason")
        page.entry("2", "wrong usage or a wrong configuration")
        page.section("Files")
        page.entry("DATA/caret.sqlite", "the store: documents, histories and tokens")
        page.entry("DATA/caretd.sock", "the admin socket: every user with access to it has all rights")
        page.entry("DATA/backups", "the backups")
        page.section("See also")
        page.paragraph("`caret`(1)")
        return page.text
    }

    private static func add(_ key: ConfigurationKey, to page: inout Roff) {
        let value = key.placeholder.isEmpty ? "" : " " + key.placeholder
        page.entry(
            key.flag + value,
            """
            \(key.meaning) Allowed: \(key.allowed). Default: `\(key.value(in: Settings()))`. Also `\(key.variable)`. \
            \(key.effectOfChange)
            """
        )
    }
}
