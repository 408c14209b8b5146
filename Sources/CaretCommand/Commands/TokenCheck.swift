import CaretClient
import CaretConfig
import CaretLog
import CaretRooms
import CaretSignIn
import CaretWire
import FoundationEssentials

/// Checks a signed token as a server does. Uses no server.
struct TokenCheck: Subcommand {
    private static let keys = Option(
        "keys", value: "FILE", "the file that the server has as token_keys: a JWK Set, a JWK or PEM")
    private static let audience = Option("audience", value: "NAME", "token_audience of the server")
    private static let maxLife = Option(
        "max-life", value: "DURATION", "token_max_life of the server; default: 24h")
    private static let config = Option(
        "config", value: "FILE",
        "the configuration file of the server, which has the values that are not given")

    static let description = CommandDescription(
        "token check", "reads a signed token from standard input, and prints what a server would answer",
        details: """
            A token is never an argument, because it would then be in the history of your shell, and other users of the \
            machine could see it. If a server would refuse the token, the exit code is 1, and the message says why. It \
            connects to no server, so it does not know what only a running server knows.
            """,
        options: [keys, audience, maxLife, config])

    /// The values of the options. The configuration file has the missing ones.
    private let given: Settings
    private let hasMaxLife: Bool
    private let config: String?

    init(_ arguments: Arguments) throws(UsageFault) {
        var given = Settings()
        try arguments.set("token_keys", to: TokenCheck.keys, in: &given)
        try arguments.set("token_audience", to: TokenCheck.audience, in: &given)
        try arguments.set("token_max_life", to: TokenCheck.maxLife, in: &given) { text in
            // On this command line `m` means minutes, which a configuration does not accept.
            WrittenDuration.seconds(text).map { "\($0) s" } ?? text
        }
        self.given = given
        hasMaxLife = arguments.has(TokenCheck.maxLife)
        config = arguments.text(TokenCheck.config)
        if config != nil { return }
        for (value, option) in [
            (given.tokenKeys, TokenCheck.keys), (given.tokenAudience, TokenCheck.audience),
        ] where value.isEmpty {
            throw arguments.fault(.missingArgument("\(option.flag), or \(TokenCheck.config.flag) FILE,"))
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let settings = try settings()
        let keys: TokenKeys
        do throws(TokenKeysFault) { keys = try TokenKeys.read(settings.tokenKeys) } catch {
            throw Failure("\(error)")
        }
        let rules = TokenRules(
            audience: WireString(settings.tokenAudience), maxLifeSeconds: Int64(settings.tokenMaxLifeSeconds))
        let token = try token()
        let result: SignedToken
        do throws(SignedTokenFault) {
            result = try rules.check(token, with: keys, at: Int64(Date.now.milliseconds))
        } catch {
            throw Failure(refusing: error)
        }
        show(AcceptedToken(result, key: keys.key(with: result.key)), in: context)
        return .done
    }

    private func settings() throws(Failure) -> Settings {
        guard let config else { return given }
        let bytes = Array(try TextFile.text(at: config).utf8)
        // The variables of this shell are not those of the server.
        let configuration = Configuration(
            Invocation(arguments: [], environment: [:]), file: .init(path: config, bytes: bytes),
            environment: [:])
        if let fault = configuration.faults.first {
            throw Failure("\(fault)", advice: "`caretd --config \(config) --check-config` shows all faults")
        }
        var settings = configuration.settings
        if !given.tokenKeys.isEmpty { settings.tokenKeys = given.tokenKeys }
        if !given.tokenAudience.isEmpty { settings.tokenAudience = given.tokenAudience }
        if hasMaxLife { settings.tokenMaxLifeSeconds = given.tokenMaxLifeSeconds }
        for (name, value, option) in [
            ("token_keys", settings.tokenKeys, TokenCheck.keys),
            ("token_audience", settings.tokenAudience, TokenCheck.audience),
        ] where value.isEmpty {
            throw Failure("\(config): \(name) is missing", advice: "add it, or pass \(option.usage)")
        }
        return settings
    }

    /// The token on standard input, without white space around it.
    private func token() throws(Failure) -> [UInt8] {
        let text = try TextFile.text(at: "-").utf8
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }
        let start = text.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map { start.index(after: $0) } ?? start.startIndex
        let token = Array(start[..<end])
        if token.isEmpty {
            throw Failure(
                "standard input has no token", advice: "give it as a file: caret token check … <FILE")
        }
        if !TokenRules.isSigned(token) {
            throw Failure(
                "refused: this is not a signed token, because it does not begin with ey (unauthorized)",
                advice: "only the server that stores it can check a token of `caret token add`: "
                    + "CARET_TOKEN=… caret ping")
        }
        return token
    }

    private func show(_ token: AcceptedToken, in context: CommandContext) {
        if context.isJSON { return context.show(token.json) }
        let rows = token.rows { context.stamp($0) }
        let width = rows.map(\.label.columns).max() ?? 0
        context.output.write("accepted\n")
        for row in rows {
            let label = context.style.painted((row.label + ":").padded(to: width + 1), .faint)
            context.output.write("\(label) \(context.shown(name: row.value))\n")
        }
    }
}

/// What a server reads from a signed token that it accepts.
private struct AcceptedToken {
    private let token: SignedToken
    private let grants: [WireGrant]
    private let key: (id: WireString?, algorithm: SignatureAlgorithm)?

    init(_ token: SignedToken, key: (id: WireString?, algorithm: SignatureAlgorithm)?) {
        self.token = token
        self.key = key
        grants = token.grants.grants.compactMap { WireGrant($0) }
    }

    /// The claims that may be missing.
    private var optional: [(name: String, value: String?)] {
        [("name", token.name?.string), ("color", token.color?.string), ("id", token.id?.string)]
    }

    func rows(_ stamp: (Date) -> String) -> [(label: String, value: String)] {
        let words = grants.isEmpty ? "none" : grants.map(\.words).joined(separator: " ")
        let id = key?.id.map { ", kid \($0)" } ?? ", without a kid"
        return [("user", token.user.bytes.string), ("rights", words)]
            + optional.compactMap { name, value in value.map { (name, $0) } } + [
                ("expires", stamp(Date(milliseconds: Int(token.expires)))),
                ("key", (key?.algorithm.rawValue ?? "") + id),
            ]
    }

    var json: JSON {
        let claims = optional.map { (key: $0.name, value: $0.value.map { JSON.text($0) } ?? .null) }
        return .object(
            [("accepted", .bool(true)), ("user", .text(token.user.bytes.string))]
                + [("grants", .list(grants.map(\.json)))] + claims + [
                    ("issued", .number(Int(token.issued))), ("expires", .number(Int(token.expires))),
                    ("alg", key.map { .text($0.algorithm.rawValue) } ?? .null),
                    ("kid", key?.id.map { .text($0.string) } ?? .null),
                ])
    }
}

extension Arguments {
    /// Assigns the value of an option to a key of the server's configuration. The server's rules for this key apply.
    /// `rewritten` turns the value into one of a configuration.
    func set(
        _ key: String, to option: Option, in settings: inout Settings,
        rewritten: (String) -> String = { $0 }
    ) throws(UsageFault) {
        guard let text = text(option), let key = ConfigurationKey.named(key) else { return }
        guard key.assign(.word(rewritten(text)), into: &settings) else {
            throw fault(.badValue(option.flag, found: text, expected: key.allowed))
        }
    }
}

extension Failure {
    /// A refusal, with the error code that a server would send.
    fileprivate init(refusing fault: SignedTokenFault) {
        if case .ended = fault {
            self.init("refused: \(fault) (token_ended)")
            return
        }
        let advice: String? =
            switch fault {
            case .wrongSignature: "compare the server's key with the one that signs: openssl pkey -pubout"
            case .longLife: "sign a token that ends sooner, or raise token_max_life"
            case .otherAudience: "the backend must set aud to the server's token_audience"
            case .issuedAhead, .notYetValid: "compare the clocks of the backend and of the server"
            case _: nil
            }
        self.init("refused: \(fault) (unauthorized)", advice: advice)
    }
}
