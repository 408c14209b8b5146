import CaretConfig

/// The pages for `man`, generated from the same descriptions as help.
package enum ManPage {
    package static var caret: String {
        var page = Roff("caret", section: 1, version: Version.number)
        page.section("Name")
        page.paragraph("caret - reads, writes and administers the documents of a caretd")
        page.section("Synopsis")
        page.command("caret SUBCOMMAND [arguments] [options]")
        page.section("Documents and revisions")
        page.paragraph("`DOC` is the name of a document and `DOC@REV` a revision of it.")
        for form in ManualPage.forms { page.entry(form.written, form.meaning) }
        page.section("Options that all subcommands take")
        for option in CommonOptions.all { page.entry(option.usage, option.summary) }
        page.paragraph(ManualPage.targets)
        page.paragraph(ManualPage.terminal)
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
        page.paragraph("caretd - a server for texts that several people and programs edit at the same time")
        page.section("Synopsis")
        page.command(HelpText.usage)
        page.section("Options")
        for option in HelpText.options { page.entry(option.usage, option.meaning) }
        page.section("Keys")
        page.paragraph(
            """
            Each is an option, an environment variable and a key of the file that `--config` names. Options win over \
            variables, and these over the file.
            """)
        for group in ConfigurationKey.Group.allCases {
            page.subsection(group.rawValue)
            for key in ConfigurationKey.all where key.group == group { add(key, to: &page) }
        }
        page.section("Signals")
        page.entry(
            "SIGTERM, SIGINT",
            "it tells everybody, and ends within five seconds; a second one ends it at once.")
        page.section("Exit status")
        page.entry("0", "it was told to end, and what was acked is on disk")
        page.entry("1", "it could not start, or a write failed; the log says why")
        page.entry("2", "its configuration asks for what there is not")
        page.section("Files")
        page.entry("DATA/caret.sqlite", "everything that is kept")
        page.entry("DATA/caretd.sock", "where whoever the system lets in is admin")
        page.entry("DATA/backups", "the backups that were asked for")
        page.section("See also")
        page.paragraph("`caret`(1)")
        return page.text
    }

    private static func add(_ key: ConfigurationKey, to page: inout Roff) {
        let value = key.placeholder.isEmpty ? "" : " " + key.placeholder
        page.entry(
            key.flag + value,
            "\(key.meaning) Allowed: \(key.allowed). Default: `\(key.value(in: Settings()))`. Also `\(key.variable)`."
        )
    }
}
