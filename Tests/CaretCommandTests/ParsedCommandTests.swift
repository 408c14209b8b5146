import CaretCommand
import Testing

@Suite("The command line of caret") struct AskedTests {
    @Test(
        "options stand anywhere, also in front of the subcommand",
        arguments: [
            ["--json", "put", "a", "--base", "3"], ["put", "a", "--base=3", "--json"],
            ["put", "--json", "--base", "3", "--", "a"],
        ])
    func options(arguments: [String]) throws {
        let asked = try Asked(arguments)
        guard case .run(let type) = asked.order else { throw Wrong() }
        #expect(type.description.name == "put" && asked.given.arguments == ["a"])
        #expect(asked.given.options == ["json": [""], "base": ["3"]])
    }

    @Test("a name of two words is one, and a letter stands for an option")
    func words() throws {
        let asked = try Asked(["token", "add", "ann", "--read", "", "--read", "b"])
        #expect(asked.given.command.name == "token add")
        #expect(asked.given.options == ["read": ["", "b"]])
        #expect(try Asked(["log", "a", "-n", "5"]).given.options == ["limit": ["5"]])
    }

    @Test(
        "what there is not is a fault that says what is meant",
        arguments: [
            ([], "it wants a subcommand"), (["cta"], "there is no subcommand \"cta\"; is it cat?"),
            (["xxxxxxxx"], "there is no subcommand \"xxxxxxxx\""),
            (["token"], "token wants one of add, list, revoke"),
            (["token", "ls"], "token wants one of add, list, revoke, and found \"ls\""),
            (["ls", "--jsno"], "ls: there is no option \"--jsno\"; is it --json?"),
            (["cat"], "cat: DOC[@REV] is missing"),
            (["cat", "a", "b"], "cat: \"b\" is one argument too many"),
            (["put", "a", "--base"], "put: --base wants a value: --base REV"),
            (["ls", "--json=1"], "ls: --json takes no value"),
            (["ls", "--json", "--json"], "ls: --json stands there twice"),
        ])
    func faults(arguments: [String], message: String) {
        #expect(throws: (any Error).self) { try Asked(arguments) }
        do { _ = try Asked(arguments) } catch { #expect("\(error)" == message) }
    }

    @Test(
        "a value that is none is a fault that says what is allowed",
        arguments: [
            (
                ["log", "a", "-n", "0"], "log: --limit: found \"0\", allowed is a whole number from 1"
            ), (["log", "a", "-n", "1", "--all"], "log: --all and --limit exclude each other"),
            (
                ["ls", "--server", "a:b"],
                "ls: --server: found \"a:b\", allowed is HOST, HOST:PORT, [ADDRESS]:PORT or a socket's path"
            ), (["ls", "--server", "a", "--data", "b"], "ls: --server and --data exclude each other"),
            (
                ["restore", "a"],
                "restore: DOC@REV: found \"a\", allowed is a document with a revision behind @"
            ),
            (["mv", "a@1", "b"], "mv: DOC: found \"a@1\", allowed is a document without a revision"),
            (["cat", "@1"], "cat: DOC: found \"@1\", allowed is a name in front of the @"),
            (["token", "add", "a"], "token add: one of --read, --write, --admin is missing"),
            (["token", "revoke", "0"], "token revoke: NUMBER: found \"0\", allowed is a number from 1"),
            (["verify", "f", "--document", "d"], "verify: BACKUP and --document exclude each other"),
            (["backup", "f"], "backup: --data DIR is missing"),
            (["verify", "f", "--data", "d"], "verify: BACKUP and --data exclude each other"),
            (["completion", "sh"], "completion: SHELL: found \"sh\", allowed is bash, zsh, fish"),
        ])
    func values(arguments: [String], message: String) throws {
        do {
            let asked = try Asked(arguments)
            guard case .run(let type) = asked.order else { throw Wrong() }
            _ = try type.init(asked.given)
            _ = try Place(asked.given, [:])
            Issue.record("it was taken")
        } catch {
            #expect("\(error)" == message)
        }
    }

    @Test("help and the version go before anything else")
    func help() throws {
        guard case .help(let command?) = try Asked(["cat", "--help"]).order else { throw Wrong() }
        #expect(command.name == "cat")
        guard case .help(nil) = try Asked(["-h"]).order else { throw Wrong() }
        guard case .version = try Asked(["--version", "-h"]).order else { throw Wrong() }
    }

    @Test("options and arguments of every subcommand are told apart")
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

/// It is not what was wanted.
struct Wrong: Error {}
