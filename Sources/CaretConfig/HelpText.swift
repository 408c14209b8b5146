/// The help texts of the server, made from the list of keys.
package enum HelpText {
    /// The keys that users set most often.
    private static let everyday = [
        "data", "listen", "require_tokens", "allow_anyone_from_anywhere", "keep_history", "log_format",
    ]

    package static let usage = "caretd [--data DIR] [--listen HOST:PORT] [--config FILE] [--KEY VALUE …]"

    /// The options that are not keys. Each line break in a meaning is a line break in the help.
    package static let options: [(usage: String, meaning: String)] = [
        ("--config FILE", "a file of keys; variables and options override it"),
        ("--check-config", "prints the settings with their origins, or all mistakes"),
        (
            "--help-config",
            "prints a file of all keys; each is also an option, with - for\n_, and a variable, such as CARET_KEEP_HISTORY"
        ),
        ("--version", "prints the version"),
        ("--help", "prints this help"),
    ]

    /// The text of `--help`. It fits a screen of 24 lines with 80 columns.
    package static let help =
        """
        usage: \(usage)

        \(everyday.compactMap(ConfigurationKey.named).map(entry).joined())
        \(options.map(entry).joined())
        """

    private static func entry(_ option: (usage: String, meaning: String)) -> String {
        let column = 18
        let padding = String(repeating: " ", count: column - 2 - option.usage.count)
        let next = "\n" + String(repeating: " ", count: column)
        return "  \(option.usage)\(padding)\(option.meaning.replacing("\n", with: next))\n"
    }

    private static func entry(_ key: ConfigurationKey) -> String {
        let option = "  " + (key.placeholder.isEmpty ? key.flag : key.flag + " " + key.placeholder)
        let padding = String(repeating: " ", count: max(2, 40 - option.count))
        return "\(option)\(padding)default \(key.value(in: Settings()))\n      \(key.meaning)\n"
    }

    /// `config/caret.json5`: every key with its default, its meaning and its allowed values.
    package static let exampleFile: String = {
        var text = """
            // The configuration of caretd: every key with its default. Leave out the keys that you do not change.
            //
            // Each key is also an environment variable and a command-line option:
            // keep_history, CARET_KEEP_HISTORY="90 days", --keep-history "90 days".
            // An option overrides a variable, and a variable overrides this file.
            //
            // On SIGHUP, a running server reads this file again and checks all of it. Then the server applies the keys
            // that can change while it runs. The comment of each key says whether SIGHUP applies a change.
            //
            // A size or a time is a string with a unit, or a plain number.
            // A plain size is in bytes. A plain time is in the unit that its comment names.
            // Sizes: B, KiB, MiB, GiB; also KB, MB, GB, which are multiples of 1000. Times: ms, s, min, h, days.
            {

            """
        for group in ConfigurationKey.Group.allCases {
            text += "\n  // --- \(group.rawValue) ---\n"
            for key in ConfigurationKey.all where key.group == group {
                text += "\n  // \(key.meaning)\n  // Allowed: \(key.allowed).\n  // \(key.effectOfChange)\n"
                text += "  \(key.name): \(key.value(in: Settings())),\n"
            }
        }
        return text + "}\n"
    }()
}
