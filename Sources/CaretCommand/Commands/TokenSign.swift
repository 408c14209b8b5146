import CaretClient
import CaretConfig
import CaretLog
import CaretRooms
import CaretSignIn
import CaretWire
import FoundationEssentials

/// Signs a token, as the backend of an app does. Uses no server.
struct TokenSign: Subcommand {
    private static let user = Option("user", value: "USER", "the user name that others see (sub); required")
    private static let rights = GrantOptions(
        admin: "may administer documents whose names begin with PREFIX; '' stands for all of them")
    private static let expires = Option(
        "expires", value: "DURATION", "how long the token is valid: 30m, 12h or 30d; default: 1h")
    private static let audience = Option(
        "audience", value: "NAME", "token_audience of the server (aud); required")
    private static let key = Option(
        "key", value: "FILE",
        "the file with the private key, as PEM or JWK, or with a secret, as JWK; required; only its owner may read it"
    )
    private static let keyID = Option(
        "kid", value: "ID", "the id of the key in the header, for a server with several keys")
    private static let name = Option("name", value: "NAME", "the name that others see of the user")
    private static let color = Option("color", value: "COLOR", "the colour of the user's caret, as #c33")
    private static let id = Option("id", value: "ID", "an id of the token (jti)")

    static let description = CommandDescription(
        "token sign", "signs a token for a user of your app, and prints it",
        details: """
            It signs the tokens that docs/sign-in.md describes, as the backend of your app does. It connects to no server, \
            and no server stores the token. --read, --write and --admin can be given several times.
            """,
        options: [user] + rights.all + [expires, audience, key, keyID, name, color, id])

    private let user: String
    private let grants: [Grant]
    private let life: (text: String, seconds: Int)
    private let audience: String
    private let keyPath: String
    private let keyID: WireString?
    private let name: WireString?
    private let color: WireString?
    private let id: WireString?

    init(_ arguments: Arguments) throws(UsageFault) {
        user = try arguments.text(required: TokenSign.user)
        grants = try TokenSign.grants(in: arguments)
        life = try TokenSign.life(in: arguments)
        audience = try arguments.audience(TokenSign.audience)
        keyPath = try arguments.text(required: TokenSign.key)
        keyID = arguments.text(TokenSign.keyID).map { WireString($0) }
        name = arguments.text(TokenSign.name).map { WireString($0) }
        color = arguments.text(TokenSign.color).map { WireString($0) }
        id = arguments.text(TokenSign.id).map { WireString($0) }
    }

    private static func grants(in arguments: Arguments) throws(UsageFault) -> [Grant] {
        var grants: [Grant] = []
        for grant in try rights.grants(in: arguments) {
            do throws(DocumentName.Fault) { grants.append(try Grant(grant)) } catch {
                throw arguments.fault(
                    .badValue(
                        "--\(grant.rights.rawValue)", found: grant.scope.words,
                        expected: "a name of a document after the =, but it \(error.problem)"))
            }
        }
        return grants
    }

    private static func life(in arguments: Arguments) throws(UsageFault) -> (text: String, seconds: Int) {
        let text = arguments.text(expires) ?? "1h"
        guard let seconds = WrittenDuration.seconds(text), seconds > 0 else {
            throw arguments.fault(
                .badValue(expires.flag, found: text, expected: "a duration: 30m, 12h or 30d"))
        }
        return (text, seconds)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let signer: TokenSigner
        do throws(TokenKeysFault) { signer = try TokenSigner.read(keyPath, id: keyID) } catch {
            throw Failure(signingWith: error)
        }
        let claims = try claims(issued: Int64(Date.now.milliseconds / 1_000))
        let token = signer.sign(claims)
        try check(token, of: claims, with: signer.keys)
        if life.seconds > Settings().tokenMaxLifeSeconds {
            context.note("a server accepts this token only if its token_max_life is at least \(life.text)")
        }
        if context.isJSON {
            context.show(
                .object([
                    "token": .text(token), "user": .text(user),
                    "expires": .number(Int(claims.expires) * 1_000),
                ]))
        } else {
            context.output.write(token + "\n")
        }
        return .done
    }

    private func claims(issued: Int64) throws(Failure) -> SigningClaims {
        guard let grants = Grants(grants) else { throw Failure(signing: .tooManyGrants(grants.count)) }
        return SigningClaims(
            user: WireString(user), audience: WireString(audience), issued: issued,
            expires: issued + Int64(life.seconds), grants: grants, name: name, color: color, id: id)
    }

    /// Checks the token as a server does, so that the command never prints a token that every server refuses.
    private func check(
        _ token: String, of claims: SigningClaims, with keys: TokenKeys
    ) throws(Failure) {
        let rules = TokenRules(audience: claims.audience, maxLifeSeconds: Int64(life.seconds))
        do throws(SignedTokenFault) {
            _ = try rules.check(Array(token.utf8), with: keys, at: claims.issued * 1_000)
        } catch {
            throw Failure(signing: error)
        }
    }
}

extension Arguments {
    fileprivate func text(required option: Option) throws(UsageFault) -> String {
        guard let text = text(option) else {
            throw fault(.missingArgument("\(option.flag) \(option.value ?? "")"))
        }
        return text
    }

    /// A value that a server accepts for `token_audience`.
    fileprivate func audience(_ option: Option) throws(UsageFault) -> String {
        let text = try text(required: option)
        var settings = Settings()
        try set("token_audience", to: option, in: &settings)
        if text.isEmpty { throw fault(.badValue(option.flag, found: text, expected: "a name")) }
        return text
    }
}

extension Failure {
    fileprivate init(signing fault: SignedTokenFault) {
        self.init(
            "every server would refuse this token: \(fault)", advice: "run: caret help token sign",
            code: .usage)
    }

    fileprivate init(signingWith fault: TokenKeysFault) {
        let advice: String? =
            switch fault.problem {
            case .readableByOthers, .severalToSign: nil
            case .notPrivate, .doesNotFit: "pass the private key that belongs to the server's public key"
            case _: "`openssl genpkey -algorithm ed25519 -out key.pem` makes a key"
            }
        self.init("\(fault)", advice: advice)
    }
}
