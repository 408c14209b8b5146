import CaretClient
import CaretCommand
import Testing

@Suite("The command line of caret") struct ParsedCommandTests {
    @Test(
        "options can be given anywhere, also before the subcommand",
        arguments: [
            ["--json", "put", "a", "--base", "3"], ["put", "a", "--base=3", "--json"],
            ["put", "--json", "--base", "3", "--", "a"],
        ])
    func options(arguments: [String]) throws {
        let parsed = try ParsedCommand(arguments)
        guard case .run(let type) = parsed.action else { throw UnexpectedResult() }
        #expect(type.description.name == "put" && parsed.arguments.positional == ["a"])
        #expect(parsed.arguments.options == ["json": [""], "base": ["3"]])
    }

    @Test("a subcommand can have two words, and an option one letter")
    func words() throws {
        let parsed = try ParsedCommand(["token", "add", "ann", "--read", "", "--read", "b"])
        #expect(parsed.arguments.command.name == "token add")
        #expect(parsed.arguments.options == ["read": ["", "b"]])
        #expect(try ParsedCommand(["log", "a", "-n", "5"]).arguments.options == ["limit": ["5"]])
    }

    @Test("letters of options can be written together, also with a value at the end")
    func letters() throws {
        let none = ["names": [""], "ignore-case": [""]]
        #expect(try ParsedCommand(["grep", "-il", "x"]).arguments.options == none)
        #expect(
            try ParsedCommand(["grep", "-Fil", "x"]).arguments.options
                == none.merging(["fixed": [""]]) { one, _ in one })
        #expect(try ParsedCommand(["log", "a", "-n", "5"]).arguments.options == ["limit": ["5"]])
        #expect(throws: UsageFault.self) { try ParsedCommand(["grep", "-ix", "x"]) }
        #expect(throws: UsageFault.self) { try ParsedCommand(["grep", "-ii", "x"]) }
        #expect(throws: UsageFault.self) { try ParsedCommand(["grep", "-i=1", "x"]) }
    }

    @Test(
        "each wrong command line has an exact error message",
        arguments: [
            ([], "no subcommand given"), (["cta"], "unknown subcommand \"cta\"; did you mean cat?"),
            (["xxxxxxxx"], "unknown subcommand \"xxxxxxxx\""),
            (["token"], "token needs one of add, list, revoke, sign, check, sign-out"),
            (["token", "ls"], "token needs one of add, list, revoke, sign, check, sign-out; found \"ls\""),
            (["ls", "--jsno"], "ls: unknown option \"--jsno\"; did you mean --json?"),
            (["cat"], "cat: DOC[@REV] is missing"),
            (["cat", "a", "b"], "cat: unexpected argument \"b\""),
            (["put", "a", "--base"], "put: --base needs a value: --base REV"),
            (["ls", "--json=1"], "ls: --json takes no value"),
            (["ls", "--json", "--json"], "ls: --json is given twice"),
        ])
    func faults(arguments: [String], message: String) {
        #expect(throws: (any Error).self) { try ParsedCommand(arguments) }
        do { _ = try ParsedCommand(arguments) } catch { #expect("\(error)" == message) }
    }

    @Test(
        "an invalid value is an error that names the expected values",
        arguments: [
            (
                ["log", "a", "-n", "0"], "log: --limit: found \"0\", expected a whole number from 1"
            ), (["log", "a", "-n", "1", "--all"], "log: --all and --limit cannot be combined"),
            (
                ["ls", "--server", "a:b"],
                "ls: --server: found \"a:b\", expected HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path"
            ), (["ls", "--server", "a", "--data", "b"], "ls: --server and --data cannot be combined"),
            (
                ["ls", "--server", "a,b:,c"],
                "ls: --server, address 2 of 3: found \"b:\", expected HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path"
            ),
            (
                ["ls", "--server", "a,b,"],
                "ls: --server, address 3 of 3: found \"\", expected HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path"
            ),
            (
                ["restore", "a"],
                "restore: DOC@REV: found \"a\", expected a document with a revision: DOC@REV"
            ),
            (["mv", "a@1", "b"], "mv: DOC: found \"a@1\", expected a document without a revision"),
            (["cat", "@1"], "cat: DOC: found \"@1\", expected a name before the @"),
            (["token", "add", "a"], "token add: one of --read, --note, --write, --admin is missing"),
            (
                ["token", "add", "a", "--read", "", "--expires", "30"],
                "token add: --expires: found \"30\", expected a future time: 12h, 30d or 4w from now, or a time (2026-12-31, 2026-12-31T18:00Z)"
            ),
            (
                ["token", "add", "a", "--read", "", "--expires", "2020-01-01"],
                "token add: --expires: found \"2020-01-01\", expected a future time: 12h, 30d or 4w from now, or a time (2026-12-31, 2026-12-31T18:00Z)"
            ),
            (["token", "revoke", "0"], "token revoke: NUMBER: found \"0\", expected a number from 1"),
            (["verify", "f", "--document", "d"], "verify: BACKUP and --document cannot be combined"),
            (["backup", "f"], "backup: --data DIR is missing"),
            (["verify", "f", "--data", "d"], "verify: BACKUP and --data cannot be combined"),
            (
                ["tail", "a", "-n", "-1"],
                "tail: --limit: found \"-1\", expected a whole number from 0 to 1000"
            ),
            (
                ["tail", "a", "-n", "1001"],
                "tail: --limit: found \"1001\", expected a whole number from 0 to 1000"
            ),
            (["completion", "sh"], "completion: SHELL: found \"sh\", expected bash, zsh, fish"),
        ])
    func values(arguments: [String], message: String) throws {
        do {
            let parsed = try ParsedCommand(arguments)
            guard case .run(let type) = parsed.action else { throw UnexpectedResult() }
            _ = try type.init(parsed.arguments)
            _ = try Target(parsed.arguments, [:])
            Issue.record("the command line was accepted")
        } catch {
            #expect("\(error)" == message)
        }
    }

    @Test("a lone minus is an argument, and the limits of a number are allowed")
    func allowed() throws {
        #expect(try ParsedCommand(["put", "a", "-"]).arguments.positional == ["a", "-"])
        for words in [["tail", "a", "-n", "0"], ["tail", "a", "-n", "1000"], ["log", "a", "-n", "1"]] {
            let parsed = try ParsedCommand(words)
            guard case .run(let type) = parsed.action else { throw UnexpectedResult() }
            _ = try type.init(parsed.arguments)
        }
    }

    @Test("the server comes from an option, or else from CARET_SERVER")
    func targets() throws {
        func target(_ options: [String], _ variable: String? = nil) throws -> Target {
            let parsed = try ParsedCommand(["ls"] + options)
            return try Target(parsed.arguments, variable.map { ["CARET_SERVER": $0] } ?? [:])
        }
        let local = Target.servers([.tcp(host: "127.0.0.1", port: ServerAddress.defaultPort)])
        #expect(try target([]) == local)
        #expect(try target([], "") == local)
        #expect(try target([], "h:7") == .servers([.tcp(host: "h", port: 7)]))
        #expect(try target(["--server", "i:8"], "h:7") == .servers([.tcp(host: "i", port: 8)]))
        #expect(try target(["--socket", "s"], "h:7") == .servers([.unix(path: "s")]))
        let several = Target.servers([
            .tcp(host: "h", port: 7), .tls(host: "i", port: 8, trust: .file("ca.pem")), .unix(path: "/s"),
        ])
        let text = "h:7, carets://i:8?trust=ca.pem,/s,h:7"
        #expect(try target(["--server", text]) == several)
        #expect(try target([], text) == several)
        #expect(try target(["--data", "d"], "h:7") == .folder("d"))
        let fault = #expect(throws: UsageFault.self) { _ = try target([], "a:b") }
        #expect(fault.map { "\($0)".hasPrefix("ls: CARET_SERVER: found \"a:b\", expected HOST, ") } == true)
    }

    @Test("the words for another run of caret name the same servers")
    func targetWords() throws {
        for words in [
            ["--server", "h:7"], ["--server", "h:7,carets://i:8?trust=ca.pem,/s"], ["--socket", "/a,b/s"],
            ["--data", "d"],
        ] {
            let target = try Target(try ParsedCommand(["ls"] + words).arguments, [:])
            #expect(target.words == words)
        }
    }

    @Test("--help and --version take precedence over other arguments")
    func help() throws {
        guard case .help(let command?) = try ParsedCommand(["cat", "--help"]).action else {
            throw UnexpectedResult()
        }
        #expect(command.name == "cat")
        guard case .help(nil) = try ParsedCommand(["-h"]).action else { throw UnexpectedResult() }
        guard case .version = try ParsedCommand(["--version", "-h"]).action else { throw UnexpectedResult() }
    }

    @Test("no subcommand has an option twice, and optional arguments come last")
    func descriptions() {
        for command in CommandList.descriptions {
            let names = (command.options + CommonOptions.all).map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
            let needed = command.arguments.map(\.isOptional)
            #expect(needed == needed.sorted { !$0 && $1 }, "\(command.name)")
            #expect(command.usage.count <= 90 && !command.summary.hasSuffix("."), "\(command.name)")
        }
    }
}

/// A test got another value than it expected.
struct UnexpectedResult: Error {}
