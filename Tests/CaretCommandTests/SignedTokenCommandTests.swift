import CaretLog
import CaretSignIn
import CaretWire
import Foundation
import Testing

@Suite("Subcommands that sign and check the tokens of an app") struct SignedTokenCommandTests {
    private let session: CommandSession

    /// A folder with a private and a public key, without a server.
    init() throws {
        session = try CommandSession(nil)
        try shell("openssl genpkey -algorithm ed25519 -out key.pem")
        try shell("openssl pkey -in key.pem -pubout -out public.pem")
    }

    private func shell(_ line: String) throws {
        let run = try session.shell(line)
        try #require(run.status == 0, "\(run)")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(session.folder.path)/\(name)", atomically: false, encoding: .utf8)
        try shell("chmod 600 \(name)")
    }

    private func sign(_ words: String...) throws -> String {
        let key = ["--key", session.folder.path + "/key.pem"]
        let words = ["token", "sign", "--user", "ann", "--audience", "notes.example.org"] + words + key
        let run = try session.caret(words)
        try #require(run.status == 0 && run.errors.isEmpty, "\(run)")
        return run.output
    }

    private func check(_ token: String, _ words: String...) throws -> Run {
        let serverKeys = ["--keys", session.folder.path + "/public.pem"]
        let words = words.contains("--keys") ? words : words + serverKeys
        return try session.caret(
            ["token", "check", "--audience", "notes.example.org"] + words, input: token)
    }

    // MARK: Accepted tokens

    @Test("`token check` accepts what `token sign` signs, and prints what a server reads from it")
    func accepted() throws {
        let token = try sign(
            "--write", "notes/", "--read", "=agenda", "--kid", "k1", "--name", "Ann Lee", "--color", "#c33",
            "--id", "7", "--expires", "30m")
        #expect(token.hasPrefix("ey") && token.hasSuffix("\n"))
        let run = try check(token)
        let lines = run.output.split(separator: "\n")
        try #require(run.status == 0 && lines.count == 8, "\(run)")
        #expect(
            lines.prefix(6) == [
                "accepted", "user:    ann", "rights:  read:=agenda write:notes/", "name:    Ann Lee",
                "color:   #c33", "id:      7",
            ])
        #expect(lines[6].hasPrefix("expires: 20") && lines[6].hasSuffix("Z"))
        // The key of the server is PEM, which has no kid. Then each kid in a header fits.
        #expect(lines[7] == "key:     EdDSA, without a kid")
    }

    @Test("both subcommands print an object with --json")
    func json() throws {
        let before = Int(Date().timeIntervalSince1970)
        let signed = try sign("--admin", "", "--json")
        let found = try #require(
            signed.wholeMatch(of: /\{"token":"(ey[^"]+)","user":"ann","expires":([0-9]+)000\}\n/)?.output)
        let expires = try #require(Int(found.2))
        #expect((before + 3_600...before + 3_660).contains(expires))
        let run = try check(String(found.1), "--json")
        #expect(
            run.output == """
                {"accepted":true,"user":"ann","grants":[{"rights":"admin","prefix":""}],"name":null,"color":null,\
                "id":null,"issued":\(expires - 3_600)000,"expires":\(expires)000,"alg":"EdDSA","kid":null}

                """)
        let refused = try check("eyx", "--json")
        #expect(
            refused.status == 1 && refused.output.isEmpty
                && refused.errors.hasPrefix(#"{"error":"refused: the token has 1 parts"#))
    }

    @Test("a secret as JWK signs and checks, with its kid")
    func secret() throws {
        let secret = #"{"kty":"oct","kid":"s","k":"\#(String(repeating: "x", count: 44))"}"#
        try write(secret, to: "secret.json")
        try session.expect(
            """
            $ token sign --user ann --read a --audience b --key DIR/secret.json
            ey…
            """)
        let words = ["token", "sign", "--user", "ann", "--read", "a", "--audience", "b", "--key"]
        let token = try session.caret(words + [session.folder.path + "/secret.json"]).output
        let check = ["token", "check", "--audience", "b", "--keys", session.folder.path + "/secret.json"]
        #expect(try session.caret(check, input: token).output.hasSuffix("\nkey:     HS256, kid s\n"))
    }

    @Test("a running server accepts a signed token, and answers a bad one as `token check` does")
    func server() throws {
        let options = [
            "--require-tokens", "--token-keys", session.folder.path + "/public.pem", "--token-audience",
            "notes.example.org",
        ]
        try session.start(options)
        let ann = ["CARET_TOKEN": try sign("--write", "notes/").trimmingCharacters(in: .newlines)]
        let put = try session.caret(["put", "notes/a", "--create"], input: "x", environment: ann)
        #expect(put.output == "notes/a: saved as revision 1\n", "\(put)")
        #expect(try session.caret(["log", "notes/a"], environment: ann).output.contains("\tann\t"))
        let other = try session.caret(["put", "b", "--create"], input: "x", environment: ann)
        #expect(other.status == 1 && other.errors.contains("(not_found)"), "\(other)")
        try shell("openssl genpkey -algorithm ed25519 -out key.pem")
        let wrong = try sign("--write", "notes/").trimmingCharacters(in: .newlines)
        let answer = try session.caret(["ping"], environment: ["CARET_TOKEN": wrong]).errors
        let reason = try check(wrong).errors.split(separator: "\n")[0].dropFirst("caret: refused: ".count)
        #expect(reason.hasSuffix(" (unauthorized)") && answer.contains(reason), "\(answer)")
    }

    @Test(
        "`token check --config` takes the values from the configuration of a server, unless options say more")
    func configuration() throws {
        let keys = session.folder.path + "/public.pem"
        let values = "token_keys: '\(keys)', token_audience: 'notes.example.org', token_max_life: '2h'"
        try write("{require_tokens: true, \(values)}", to: "caret.json5")
        try write("{require_tokens: true}", to: "empty.json5")
        try write("{token_keys: 'x', token_audience: 'y'}", to: "open.json5")
        let token = try sign("--read", "", "--expires", "3h")
        let check = { (words: String...) in
            try session.caret(["token", "check", "--config"] + words, input: token)
        }
        let file = session.folder.path + "/caret.json5"
        #expect(try check(file).errors.contains("exp is 10800 s after iat; at most 7200 s are allowed"))
        #expect(try check(file, "--max-life", "4h").status == 0)
        #expect(try check(file, "--max-life", "4h", "--audience", "x").errors.contains("aud does not"))
        try session.expect(
            """
            $ token check --config DIR/empty.json5
            ! caret: DIR/empty.json5: token_keys is missing
            !   add it, or pass --keys FILE
            [1]
            $ token check --config DIR/open.json5
            ! caret: DIR/open.json5:1:14: token_keys is set, but require_tokens is false, …
            !   `caretd --config DIR/open.json5 --check-config` shows all faults
            [1]
            $ token check --config DIR/none
            ! caret: DIR/none: cannot be read: No such file or directory
            [1]
            """)
    }

    // MARK: Refused tokens

    @Test("each kind of refusal says why, with the error code that a server sends")
    func refusals() throws {
        let token = try sign("--write", "notes/", "--expires", "2h")
        let long = try check(token, "--max-life", "1h")
        #expect(
            long.errors == """
                caret: refused: exp is 7200 s after iat; at most 3600 s are allowed (unauthorized)
                  sign a token that ends sooner, or raise token_max_life

                """)
        let stored = try check("caret_1_x")
        #expect(stored.errors.hasPrefix("caret: refused: this is not a signed token, because"))
        let none = try check(" \n")
        #expect(none.errors.hasPrefix("caret: standard input has no token\n"))
        let damaged = try check("ey.e" + token)
        #expect(
            damaged.errors
                == "caret: refused: the token has 4 parts between points; expected 3 (unauthorized)\n")
        for run in [long, stored, none, damaged] { #expect(run.status == 1 && run.output.isEmpty) }

        let other = ["--keys", session.folder.path + "/other.pem"]
        try shell("openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out other.pem")
        let wrongKey = try check(token, other[0], other[1])
        #expect(
            wrongKey.errors == """
                caret: refused: the signature was not made with the server's key for exactly this token (unauthorized)
                  compare the server's key with the one that signs: openssl pkey -pubout

                """)
        let audience = try session.caret(
            ["token", "check", "--audience", "x"] + ["--keys", session.folder.path + "/public.pem"],
            input: token)
        #expect(
            audience.errors == """
                caret: refused: aud does not contain "x" (unauthorized)
                  the backend must set aud to the server's token_audience

                """)
        for run in [wrongKey, audience] { #expect(run.status == 1 && run.output.isEmpty) }
    }

    @Test("a token that has ended is refused as token_ended")
    func ended() throws {
        let signer = try TokenSigner.read(session.folder.path + "/key.pem")
        let claims = SigningClaims(
            user: "ann", audience: "notes.example.org", issued: 1_000_000_000, expires: 1_000_000_060,
            grants: .none)
        let run = try check(signer.sign(claims))
        #expect(
            run.status == 1
                && run.errors
                    == "caret: refused: the token ended at 2001-09-09 01:47:40 UTC; get another one (token_ended)\n",
            "\(run)")
    }

    @Test("a token without rights is accepted, and the output says that it has none")
    func withoutRights() throws {
        let signer = try TokenSigner.read(session.folder.path + "/key.pem")
        let now = Int64(Date().timeIntervalSince1970)
        let claims = SigningClaims(
            user: "ann", audience: "notes.example.org", issued: now, expires: now + 60, grants: .none)
        #expect(try check(signer.sign(claims)).output.contains("\nrights:  none\n"))
    }

    // MARK: Wrong usage

    @Test("a key that others can read, or that is of the wrong kind, is refused with what to do")
    func keys() throws {
        try shell("cp key.pem open.pem && chmod 644 open.pem")
        try session.expect(
            """
            $ token sign --user ann --read a --audience b --key DIR/open.pem
            ! caret: DIR/open.pem: other users may read this secret: its mode is 0644; run chmod 600 DIR/open.pem
            [1]
            $ token sign --user ann --read a --audience b --key DIR/none.pem
            ! caret: DIR/none.pem: the file cannot be read: No such file or directory
            !   `openssl genpkey -algorithm ed25519 -out key.pem` makes a key
            [1]
            $ token check --keys DIR/key.pem --audience b << ey
            ! caret: DIR/key.pem: this is a private key, and the server needs only the public one: openssl pkey -pubout
            [1]
            """)
        try session.expect(
            """
            $ token sign --user ann --read a --audience b --key DIR/public.pem
            ! caret: DIR/public.pem: this is a public key, and signing needs the private one
            !   pass the private key that belongs to the server's public key
            [1]
            """)
    }

    @Test("`token sign` signs nothing that every server would refuse")
    func nothing() throws {
        try session.expect(
            """
            $ token sign --user anonymous --read a --audience b --key DIR/key.pem
            ! caret: every server would refuse this token: sub is anonymous, the name of clients without a token; name a user
            !   run: caret help token sign
            [2]
            $ token sign --user ann --read a --audience b --key DIR/key.pem --color red
            ! caret: every server would refuse this token: color is "red"; expected a color like #c33 or #cc3333
            !   run: caret help token sign
            [2]
            $ token sign --user ann --read a --audience b --key DIR/key.pem --expires 30d
            ey…
            ! caret: a server accepts this token only if its token_max_life is at least 30d
            """)
    }

    @Test(
        "wrong usage of both subcommands is reported before any file is read",
        arguments: [
            ("sign --read a --audience b --key k", "sign: --user USER is missing"),
            (
                "sign --user u --audience b --key k",
                "sign: one of --read, --note, --write, --admin is missing"
            ),
            ("sign --user u --read a --key k", "sign: --audience NAME is missing"),
            ("sign --user u --read a --audience b", "sign: --key FILE is missing"),
            (
                "sign --user u --read a --audience b --key k --expires 2090-01-01",
                "sign: --expires: found \"2090-01-01\", expected a duration: 30m, 12h or 30d"
            ),
            (
                "sign --user u --read a --audience b --key k --expires 0s",
                "sign: --expires: found \"0s\", expected a duration: 30m, 12h or 30d"
            ),
            (
                "sign --user u --read a --audience é --key k",
                "sign: --audience: found \"é\", expected at most 200 visible characters of ASCII, or an empty text"
            ),
            (
                "sign --user u --read =a//b --audience b --key k",
                "sign: --read: found \"=a//b\", expected a name of a document after the =, but it has a part (number 1, counted from 0) that is empty, \".\" or \"..\""
            ),
            ("check --audience b", "check: --keys, or --config FILE, is missing"),
            ("check --keys k", "check: --audience, or --config FILE, is missing"),
            (
                "check --keys k --audience b --max-life 31d",
                "check: --max-life: found \"31d\", expected a time from 1 min to 30 days, in whole seconds"
            ),
            ("check ey", "check: unexpected argument \"ey\""),
        ])
    func usage(words: String, message: String) throws {
        let run = try session.caret(["token"] + words.split(separator: " ").map(String.init))
        #expect(run.status == 2 && run.errors.hasPrefix("caret: token \(message)\n"), "\(run)")
    }
}
