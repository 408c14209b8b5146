import CaretConfig

/// Makes a configuration from a file's text, the environment and the arguments.
func configured(
    _ text: String? = nil, _ environment: [String: String] = [:], _ arguments: String...
) -> Configuration {
    let invocation = Invocation(arguments: arguments, environment: environment)
    let file = text.map { Configuration.File(path: "caret.json5", bytes: Array($0.utf8)) }
    return Configuration(invocation, file: file, environment: environment)
}

extension Configuration {
    var sentences: [String] { faults.map(\.description) }
}

extension ConfigurationKey {
    /// One of two allowed values, as written in the file. If the key allows a range, the two values are its
    /// ends.
    func otherValue(_ choice: Int) -> String {
        switch kind {
        case .folder: ["\"elsewhere\"", "\"/var/lib/ä b\""][choice]
        case .file: ["\"caret.pem\"", "\"/etc/ä b.pem\""][choice]
        case .database:
            ["\"postgres://caret@db/caret\"", "\"postgresql:///caret?host=/run/postgresql\""][choice]
        case .node: ["\"a\"", "\"db-1.example_org\""][choice]
        case .reached: ["\"db-1:22738\"", "\"carets://[::1]:7\""][choice]
        case .audience: ["\"notes.example.org\"", "\"https://a/b\""][choice]
        case .webPath: ["\"/\"", "\"/a-b/C_9.x~\""][choice]
        case .tlsUse: ["\"offered\"", "\"required\""][choice]
        case .addresses: ["[]", "[\"127.0.0.1:0\", \"[::1]:7\"]"][choice]
        case .hosts: ["[]", "[\"caret.example.org\", \"[::1]\"]"][choice]
        case .origins: ["[]", "[\"https://app.example.org\", \"http://a:7\"]"][choice]
        case .prefixes: ["[]", "[\"public/\", \"ä b\"]"][choice]
        case .header: ["\"X-Forwarded-User\"", "\"remote_user\""][choice]
        case .machines: ["[]", "[\"127.0.0.1\", \"2001:db8::1\"]"][choice]
        case .rights: ["[]", "[\"write:home/{user}/\", \"read:=ä b\", \"admin:\"]"][choice]
        case .yesNo: value(in: Settings()) == "true" ? "false" : "true"
        case .count(_, let range): String([range.lowerBound, range.upperBound][choice])
        case .bytes(_, let range): SizeText.written([range.lowerBound, range.upperBound][choice]).quoted
        case .time(_, let counts, _, let range):
            TimeText.written([range.lowerBound, range.upperBound][choice], counts).quoted
        case .history: ["\"90 days\"", "\"10000 revisions\""][choice]
        case .logFormat: "\"json\""
        case .logLevel: ["\"debug\"", "\"error\""][choice]
        }
    }

    /// Values that are not allowed for this key.
    var valuesOutside: [String] {
        switch kind {
        case .folder: ["\"\"", "\"a\\nb\"", String(repeating: "a", count: 4_096).quoted]
        case .addresses: ["[\"7\"]", "\"example.org:7\"", "[7]"]
        case .hosts: ["[\"a:7\"]", "\"a b\"", "[\"\"]", "[7]"]
        case .origins: ["[\"a\"]", "\"https://a/\"", "[\"null\"]", "[7]"]
        case .prefixes: ["[\"a\\nb\"]", "[7]", "[\(String(repeating: "a", count: 513).quoted)]"]
        case .header: ["\"X User\"", "\"ä\"", "\"a:\"", "7", String(repeating: "a", count: 101).quoted]
        case .machines: ["[\"127.0.0.1:7\"]", "\"localhost\"", "[\"[::1]\"]", "[\"0.0.0.0\"]", "[7]"]
        case .rights:
            [
                "[\"home/\"]", "[\"own:home/\"]", "[\"read:=\"]", "[\"read:{usr}/\"]", "[\"read:{user}\"]",
                "[\"read:{user}s/\"]", "[\"read:a\\nb\"]", "[7]",
                "[\"read:\(String(repeating: "a", count: 513))\"]",
            ]
        case .yesNo: ["1", "\"true\"", "\"yes\"", "null"]
        case .count(_, let range):
            ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1.5", "\"1\"", "Infinity"]
        case .bytes(_, let range): ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\"1 MiX\"", "NaN"]
        case .time(_, let counts, _, let range):
            ["\(TimeText.written(range.upperBound + 1, counts).quoted)", "-1", "\"1 fortnight\""]
        case .history:
            ["\"always\"", "\"0 revisions\"", "0", "\"59 s\"", "36501", "\"1000000001 revisions\""]
        case .file: ["\"a\\nb\"", "7", String(repeating: "a", count: 4_096).quoted]
        case .database: ["\"caret.sqlite\"", "\"postgres://a\\nb\"", "7"]
        case .node: ["\"a b\"", "\"ä\"", "7", String(repeating: "a", count: 64).quoted]
        case .audience: ["\"a b\"", "\"ä\"", "7", String(repeating: "a", count: 201).quoted]
        case .webPath:
            [
                "\"token\"", "\"//a.example/token\"", "\"/\\\\a.example\"", "\"/a b\"", "\"/ä\"", "\"/a?b\"",
                "7", "\"https://a.example/token\"", "/\(String(repeating: "a", count: 200))".quoted,
            ]
        case .reached: ["\"a b\"", "\"a,b\"", "\"ä\"", "7", String(repeating: "a", count: 301).quoted]
        case .logFormat, .logLevel, .tlsUse: ["\"none\"", "1", "\"\""]
        }
    }
}
