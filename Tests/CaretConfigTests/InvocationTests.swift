import CaretConfig
import CaretWire
import Testing

@Suite("Command line of caretd") struct InvocationTests {
    private func invoked(_ arguments: String..., environment: [String: String] = [:]) -> Invocation {
        Invocation(arguments: arguments, environment: environment)
    }

    @Test(
        "an option such as --version sets the action, and --help always wins",
        arguments: [
            ([], .serve), (["--check-config"], .checkConfig), (["--help-config"], .helpConfig),
            (["-h"], .help),
            (["--version"], .version), (["--check-config", "--help"], .help),
            (["--version", "--check-config"], .version),
        ] as [([String], Invocation.Action)])
    func actions(arguments: [String], action: Invocation.Action) {
        let invocation = Invocation(arguments: arguments, environment: [:])
        #expect(invocation.action == action && invocation.faults.isEmpty)
    }

    @Test("the configuration file comes from --config, or else from CARET_CONFIG")
    func file() {
        #expect(invoked().file == nil)
        #expect(invoked("--config", "a").file == "a")
        #expect(invoked("--config=a=b", environment: ["CARET_CONFIG": "c"]).file == "a=b")
        #expect(invoked(environment: ["CARET_CONFIG": "c"]).file == "c")
    }

    @Test("an option's value follows a space or =, and `true` may be left out")
    func values() {
        let configuration = configured(
            nil, [:], "--data=\u{338}a=b", "--log-format=json", "--require-tokens", "--admin-socket=false",
            "--ping", "1 min")
        #expect(configuration.sentences == [])
        #expect(configuration.settings.data.utf8.elementsEqual("\u{338}a=b".utf8))
        #expect(configuration.settings.logFormat == .json)
        #expect(configuration.settings.requiresTokens && !configuration.settings.hasAdminSocket)
        #expect(configuration.settings.limits.pingSeconds == 60)
    }

    @Test("the option of a list may be repeated, and replaces the file's list")
    func severalAddresses() {
        let configuration = configured(
            "{listen: '127.0.0.1:9'}", [:], "--listen", "[::1]:1", "--listen=localhost:2")
        #expect(configuration.settings.listen.map(\.description) == ["[::1]:1", "127.0.0.1:2"])
    }

    @Test(
        "a mistake on the command line is reported with its option",
        arguments: [
            (["--lissten", "x"], ["\"--lissten\": no such option; did you mean --listen?", "\"x\""]),
            (["data"], ["\"data\": this argument is not an option; options begin with --"]),
            (["-d"], ["\"-d\": this argument is not an option; options begin with --"]),
            (
                ["--data"],
                ["--data: a value is missing; allowed is the path of a folder, without control characters"]
            ),
            (
                ["--data", "--help"],
                ["--data: a value is missing; allowed is the path of a folder, without control characters"]
            ),
            (["--data", "a", "--data", "b"], ["--data: the option is given twice"]),
            (["--config", "a", "--config", "b"], ["--config: the option is given twice"]),
            (["--config"], ["--config: a value is missing; allowed is the path of a file"]),
            (["--help=1"], ["--help=: this argument is not an option; options begin with --"]),
            (["--keep_history=1"], ["did you mean --keep-history?"]),
            (["--check"], ["\"--check\": no such option"]),
            (["--"], ["\"--\": no such option"]),
            (["--=", ""], ["\"--\": no such option", "\"\": this argument"]),
            (["--verison"], ["\"--verison\": no such option; did you mean --version?"]),
            (
                ["--require-tokens", "yes"],
                ["\"yes\": this argument is not an option; options begin with --"]
            ),
        ])
    func faults(arguments: [String], parts: [String]) {
        let sentences = Invocation(arguments: arguments, environment: [:]).faults.map(\.description)
        #expect(sentences.count == parts.count, "\(sentences)")
        for (sentence, part) in zip(sentences, parts) { #expect(sentence.contains(part)) }
    }

    @Test("the value of a yes/no option can be its own argument", arguments: ["true", "false"])
    func yesNo(value: String) {
        let found = [
            configured(nil, [:], "--require-tokens", value, "--data", "a"),
            configured(nil, [:], "--require-tokens=\(value)", "--data", "a"),
        ]
        for one in found {
            #expect(one.faults == [] && one.settings.requiresTokens == (value == "true"))
            #expect(one.settings.data == "a")
        }
    }
}
