import CaretSignIn
import CaretWire
import Glibc
import TestSupport
import Testing

@Suite("Files of keys") struct KeyFileTests {
    private let folder: CertificateFolder

    init() throws { folder = try CertificateFolder() }

    private func fault<Value>(_ read: () throws(TokenKeysFault) -> Value) -> TokenKeysFault? {
        do throws(TokenKeysFault) {
            _ = try read()
            return nil
        } catch {
            return error
        }
    }

    /// Makes a private and a public key as PEM.
    private func makePEM(_ arguments: [String]) throws -> (secret: String, open: String) {
        let (secret, open) = (folder.path + "/key.pem", folder.path + "/open.pem")
        try folder.run(["genpkey", "-out", secret] + arguments)
        try folder.run(["pkey", "-in", secret, "-pubout", "-out", open])
        return (secret, open)
    }

    private static let types: [(SignatureAlgorithm, [String])] = [
        (.edDSA, ["-algorithm", "ed25519"]),
        (.es256, ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
        (.rs256, ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ]

    @Test("a key pair as PEM signs and checks")
    func pem() throws {
        for (algorithm, arguments) in Self.types {
            let (secret, open) = try makePEM(arguments)
            let signer = try TokenSigner.read(secret, id: "a")
            let keys = try TokenKeys.read(open)
            #expect(signer.algorithm == algorithm && !keys.areSecret)
            #expect(SampleToken.check(signer.sign(SampleClaims.ann), with: keys).fault == nil)
            #expect(try TokenSigner.read(secret).keys == keys)
            #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(secret) }?.problem == .privateKey)
            #expect(fault { () throws(TokenKeysFault) in try TokenSigner.read(open) } != nil)
        }
    }

    @Test("a key as PEM has the same mark as the same key as JWK")
    func sameMark() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            -----END PUBLIC KEY-----

            """
        let keys = try TokenKeys(text: Array(pem.utf8))
        #expect(keys == (try SampleKeys.signer(.edDSA).keys))
    }

    @Test("PEM of other types, several blocks, certificates and damaged text are refused")
    func otherPEM() throws {
        let (_, open) = try makePEM(Self.types[0].1)
        let text = try folder.text(of: open)
        func problem(_ text: String) -> KeyProblem? {
            fault { () throws(TokenKeysFault) in try TokenKeys(text: Array(text.utf8)) }?.problem
        }
        #expect(problem(text + text) == .severalPEM(2))
        #expect(problem(text.replacing("MCowBQ", with: "MCowB!")) == .badPEM)
        let certificate = try folder.text(of: try folder.make("a").certificate)
        #expect(problem(certificate) == .certificate)
        #expect(problem(text.replacing("PUBLIC KEY", with: "RSA PUBLIC KEY")) == .notKeys)
        let others: [([String], KeyProblem)] = [
            (["-algorithm", "ed448"], .unsupportedType("ED448")),
            (
                ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
                .unsupportedType("EC on secp384r1")
            ),
            (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], .modulusBits(1_024)),
            (["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], .unsupportedType("RSA-PSS")),
        ]
        for (arguments, expected) in others {
            #expect(problem(try folder.text(of: try makePEM(arguments).open)) == expected)
        }
    }

    @Test(
        "a file with a secret that other users may read is refused, with its mode",
        arguments: [0o640, 0o604, 0o644] as [mode_t])
    func readableSecret(mode: mode_t) throws {
        let path = try folder.write(SampleKeys.secret, to: "secret.json", mode: mode)
        let expected = TokenKeysFault(.readableByOthers(path: path, mode: mode), path: path)
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(path) } == expected)
        #expect(fault { () throws(TokenKeysFault) in try TokenSigner.read(path) } == expected)
        #expect("\(expected)".hasSuffix("its mode is 0\(String(mode, radix: 8)); run chmod 600 \(path)"))
        chmod(path, 0o400)
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(path) } == nil)
    }

    @Test("a file of public keys may be readable by all users, a file with a private key may not")
    func readablePublicKey() throws {
        let open = try folder.write(SampleKeys.publicKey(.rs256), to: "open.json", mode: 0o644)
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(open) } == nil)
        let secret = try folder.write(SampleKeys.ed25519, to: "secret.json", mode: 0o644)
        #expect(
            fault { () throws(TokenKeysFault) in try TokenSigner.read(secret) }?.problem
                == .readableByOthers(path: secret, mode: 0o644))
    }

    @Test("a file that cannot be read is named, with the system's reason")
    func unreadable() throws {
        let path = folder.path + "/none"
        let expected = TokenKeysFault(.unreadable(reason: "No such file or directory"), path: path)
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(path) } == expected)
        #expect("\(expected)" == "\(path): the file cannot be read: No such file or directory")
        #expect(
            fault { () throws(TokenKeysFault) in try TokenKeys.read(folder.path) }?.problem
                == .unreadable(reason: "Is a directory"))
    }

    @Test("a file of more than 64 KiB is refused")
    func large() throws {
        let key = SampleKeys.publicKey(.edDSA)
        let filling = String(repeating: "\n", count: (64 << 10) - key.utf8.count)
        let path = try folder.write(key + filling, to: "limit")
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(path) } == nil)
        let beyond = try folder.write(key + filling + "\n", to: "beyond")
        #expect(fault { () throws(TokenKeysFault) in try TokenKeys.read(beyond) }?.problem == .tooLarge)
    }

    @Test("a private key with a password is refused, and nobody is asked for the password")
    func encrypted() throws {
        let (secret, _) = try makePEM(Self.types[0].1)
        let locked = folder.path + "/locked.pem"
        try folder.run(["pkey", "-in", secret, "-aes256", "-passout", "pass:secret", "-out", locked])
        chmod(locked, 0o600)
        #expect(fault { () throws(TokenKeysFault) in try TokenSigner.read(locked) }?.problem == .badPEM)
    }
}
