import Foundation
import Testing

@Suite("The command line of caretd", .onOwnThread) struct CommandLineTests {
    private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Program.ExitResult
    {
        try Program([Program.caretd] + arguments, environment: environment).waitForExit()
    }

    @Test("--version prints one line")
    func version() throws {
        let end = try run(["--version"])
        #expect(end.status == 0 && end.errors == [])
        #expect(end.output.count == 1 && end.output[0].hasPrefix("caretd "))
    }

    @Test("--help fits on a screen", arguments: ["--help", "-h"])
    func help(flag: String) throws {
        let end = try run([flag, "--data", "nowhere"])
        #expect(end.status == 0 && end.errors == [])
        #expect(end.output.first?.hasPrefix("usage: caretd ") == true && end.output.count <= 24)
    }

    @Test("--help-config prints config/caret.json5, which is valid")
    func helpConfig() throws {
        let end = try run(["--help-config"])
        #expect(end.status == 0 && end.errors == [])
        let shipped = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "config/caret.json5")
        #expect(
            end.output
                == (try String(contentsOf: shipped, encoding: .utf8)).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).dropLast().map(String.init))
        #expect(try run(["--config", shipped.path, "--check-config"]).status == 0)
    }

    @Test("--check-config prints each value and its source, and creates no files")
    func checkConfig() throws {
        let scratch = try Scratch.inMemory()
        let file = scratch.path + "/caret.json5"
        try #"{ping: "30 s", limit_edits: 5, log_format: "json"}"#.write(
            toFile: file, atomically: false, encoding: .utf8)
        let end = try run(
            ["--check-config", "--config", file, "--limit-edits=7", "--data", scratch.path + "/data"],
            environment: ["CARET_LOG_FORMAT": "plain"])
        #expect(end.status == 0 && end.errors == [])
        for (key, value, origin) in [
            ("ping", "30 s", file), ("limit_edits", "7", "--limit-edits"),
            ("log_format", "plain", "CARET_LOG_FORMAT"),
        ] {
            let line = end.output.first { $0.contains(key) }
            #expect(line?.contains(value) == true && line?.contains(origin) == true, "\(key): \(end.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/data"))
    }

    @Test(
        "caretd exits with 2 and one message for a wrong configuration",
        arguments: [
            (["--dta=x"], "caretd: \"--dta\": no such option; did you mean --data?"),
            (["data"], "caretd: \"data\": this argument is not an option; options begin with --"),
            (["--listen", "0.0.0.0:1"], "caretd: --listen: listen: other machines can reach 0.0.0.0:1, …"),
            (["--ping", "0 s"], "caretd: --ping: ping: found …, allowed is …"),
            (
                ["--config", "nowhere.json5"],
                "caretd: nowhere.json5: the configuration cannot be read: No such file or directory"
            ),
        ])
    func faults(arguments: [String], message: String) throws {
        let end = try run(arguments)
        #expect(end.status == 2 && end.output == [])
        #expect(end.errors.count == 1 && Pattern(message).matches(end.errors[0]) != nil, "\(end.errors)")
    }

    @Test("a configuration error names the line and column, or the variable")
    func places() throws {
        let scratch = try Scratch.inMemory()
        let file = scratch.path + "/caret.json5"
        try "{\n  pin: \"30 s\",\n}\n".write(toFile: file, atomically: false, encoding: .utf8)
        let end = try run(["--config", file, "--check-config"], environment: ["CARET_PING": "soon"])
        #expect(end.status == 2 && end.output == [])
        #expect(
            end.errors.contains {
                Pattern("caretd: \(file):2:3: no key is named \"pin\"; did you mean ping?").matches($0) != nil
            }, "\(end.errors)")
        #expect(
            end.errors.contains { Pattern("caretd: CARET_PING: ping: found …soon…").matches($0) != nil },
            "\(end.errors)")
    }

    @Test("caretd exits with 1 if it cannot create the data folder")
    func noFolder() throws {
        let scratch = try Scratch.inMemory()
        let end = try run(["--data", scratch.path + "/no/data", "--listen", "127.0.0.1:0"])
        #expect(end.status == 1)
        #expect(end.errors.contains { $0.hasPrefix("caretd: \(scratch.path)/no/data: ") }, "\(end.errors)")
    }

    @Test("the log is JSON with --log-format=json")
    func jsonLog() throws {
        let scratch = try Scratch.inMemory()
        let program = try Program(LiveServer.command(["--log-format": "json"], in: scratch))
        let line = try program.errors.next() ?? "the end"
        #expect(
            Pattern(#"{"time":"…Z","level":"info","event":"starting",…}"#).matches(line) != nil, "\(line)")
    }
}
