import CaretTLS
import Glibc
import TestSupport
import Testing

@Suite("The files of a server are checked when they are read")
struct TLSFilesTests {
    private let folder: CertificateFolder

    init() throws { folder = try CertificateFolder() }

    private func fault(_ files: TLSFiles, at now: TLSTime = .now) -> TLSFault? {
        do throws(TLSFault) {
            _ = try TLSServerContext(files, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("a certificate has its names, its times and the days until its end")
    func certificate() throws {
        let context = try TLSServerContext(
            TLSFiles(try folder.make("a", for: "DNS:a.example,IP:::1", days: 30)))
        #expect(context.certificate.names == ["a.example", "::1"])
        #expect(context.certificate.daysLeft(at: context.certificate.start) == 30)
        #expect(context.certificate.daysLeft(at: context.certificate.end) == 0)
        #expect(context.certificate.daysLeft(at: context.certificate.end.after(days: 1)) == -1)
        #expect(context.certificate.fingerprint.count == 32)
        #expect(context.certificate.fingerprintText.utf8.count == 64)
    }

    @Test("a certificate without alternative names has its common name")
    func commonName() throws {
        let key = folder.path + "/cn.key"
        let certificate = folder.path + "/cn.pem"
        try folder.run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-keyout", key, "-out", certificate, "-subj", "/CN=old.example"])
        let context = try TLSServerContext(TLSFiles(certificate: certificate, key: key))
        #expect(context.certificate.names == ["old.example"])
    }

    @Test("a file that does not exist is named, with the system's reason")
    func missingFile() throws {
        let pair = try folder.make("a")
        let path = folder.path + "/none.pem"
        let expected = TLSFault.unreadable(path: path, reason: "No such file or directory")
        #expect(fault(TLSFiles(certificate: path, key: pair.key)) == expected)
        #expect(fault(TLSFiles(certificate: pair.certificate, key: path)) == expected)
        #expect("\(expected)" == "\(path): the file cannot be read: No such file or directory")
    }

    @Test("a folder instead of a file is refused")
    func folderAsFile() throws {
        let files = TLSFiles(certificate: folder.path, key: folder.path)
        #expect(fault(files) == .unreadable(path: folder.path, reason: "Is a directory"))
    }

    @Test("files that contain something else are refused")
    func otherContent() throws {
        let pair = try folder.make("a")
        let text = try folder.write("not PEM\n", to: "text")
        #expect(fault(TLSFiles(certificate: text, key: pair.key)) == .notCertificate(path: text))
        #expect(fault(TLSFiles(certificate: pair.key, key: pair.key)) == .notCertificate(path: pair.key))
        #expect(fault(TLSFiles(certificate: pair.certificate, key: text)) == .notKey(path: text))
        #expect(
            "\(TLSFault.notCertificate(path: text))".hasPrefix("\(text): the file contains no certificate"))
        #expect("\(TLSFault.notKey(path: text))".contains("no private key"))
    }

    @Test("a key with a password is refused, and nobody is asked for the password")
    func encryptedKey() throws {
        let pair = try folder.make("a")
        let locked = folder.path + "/locked.key"
        try folder.run(["pkey", "-in", pair.key, "-aes256", "-passout", "pass:secret", "-out", locked])
        #expect(fault(TLSFiles(certificate: pair.certificate, key: locked)) == .notKey(path: locked))
    }

    @Test("a file of more than 1 MiB is refused")
    func largeFile() throws {
        let pair = try folder.make("a")
        let certificate = try folder.text(of: pair.certificate)
        let limit = 1 << 20
        let filling = String(repeating: "\n", count: limit - certificate.utf8.count)
        let atLimit = try folder.write(certificate + filling, to: "limit.pem")
        #expect(fault(TLSFiles(certificate: atLimit, key: pair.key)) == nil)
        let beyond = try folder.write(certificate + filling + "\n", to: "beyond.pem")
        #expect(fault(TLSFiles(certificate: beyond, key: pair.key)) == .tooLarge(path: beyond, limit: limit))
        #expect("\(TLSFault.tooLarge(path: beyond, limit: limit))".contains("more than 1048576 bytes"))
    }

    @Test(
        "a key that other users may read is refused, with its mode",
        arguments: [0o640, 0o604, 0o644] as [mode_t])
    func readableKey(mode: mode_t) throws {
        let pair = try folder.make("a")
        chmod(pair.key, mode)
        #expect(fault(TLSFiles(pair)) == .keyReadableByOthers(path: pair.key, mode: mode))
        let message = "\(TLSFault.keyReadableByOthers(path: "k", mode: mode))"
        #expect(message.contains("its mode is 0\(String(mode, radix: 8)); run chmod 600 k"))
        chmod(pair.key, 0o400)
        #expect(fault(TLSFiles(pair)) == nil)
    }

    @Test("a key of another certificate is refused")
    func wrongKey() throws {
        let (one, other) = (try folder.make("one"), try folder.make("other"))
        let files = TLSFiles(certificate: one.certificate, key: other.key)
        #expect(fault(files) == .wrongKey(certificate: one.certificate, key: other.key))
        #expect(
            "\(TLSFault.wrongKey(certificate: "c", key: "k"))"
                == "k: the private key does not belong to the first certificate of c")
    }

    @Test("a certificate that ended, or is not valid yet, is refused with the time")
    func times() throws {
        let pair = try folder.make("a")
        let certificate = try TLSServerContext(TLSFiles(pair)).certificate
        #expect(fault(TLSFiles(pair), at: certificate.end) == nil)
        let after = TLSTime(seconds: certificate.end.seconds + 1)
        #expect(
            fault(TLSFiles(pair), at: after)
                == .certificateEnded(path: pair.certificate, end: certificate.end))
        #expect(fault(TLSFiles(pair), at: certificate.start) == nil)
        let before = TLSTime(seconds: certificate.start.seconds - 1)
        #expect(
            fault(TLSFiles(pair), at: before)
                == .certificateNotYetValid(path: pair.certificate, start: certificate.start))
    }

    @Test(
        "a time is written in UTC",
        arguments: [
            (0, "1970-01-01 00:00 UTC"), (951_782_459, "2000-02-29 00:00 UTC"), (-1, "1969-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"), (4_107_542_399, "2100-02-28 23:59 UTC"),
            (253_402_300_799, "9999-12-31 23:59 UTC"), (1_709_251_199, "2024-02-29 23:59 UTC"),
        ] as [(Int64, String)])
    func times(seconds: Int64, written: String) {
        #expect("\(TLSTime(seconds: seconds))" == written)
    }

    @Test("the messages about times name the time in UTC")
    func timeMessages() {
        let time = TLSTime(seconds: 1_790_000_000)
        #expect("\(time)" == "2026-09-21 14:13 UTC")
        #expect(
            "\(TLSFault.certificateEnded(path: "c", end: time))"
                == "c: the certificate ended at 2026-09-21 14:13 UTC; renew it")
        #expect(
            "\(TLSFault.certificateNotYetValid(path: "c", start: time))".contains("valid from 2026-09-21"))
    }

    @Test("a chain whose issuer has ended is refused")
    func endedIssuer() throws {
        let issuer = try folder.make("issuer", for: "DNS:issuer", days: 10)
        let pair = try folder.make("a", days: 90, issuer: issuer)
        let chain = try folder.write(
            folder.text(of: pair.certificate) + folder.text(of: issuer.certificate), to: "chain.pem")
        let files = TLSFiles(certificate: chain, key: pair.key)
        #expect(fault(files) == nil)
        guard case .certificateEnded(chain, _) = fault(files, at: TLSTime.now.after(days: 20)) else {
            Issue.record("the chain was accepted")
            return
        }
    }

    @Test("a key that is too short is refused by OpenSSL")
    func shortKey() throws {
        let (key, certificate) = (folder.path + "/short.key", folder.path + "/short.pem")
        try folder.run(
            ["req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", key, "-out", certificate]
                + ["-subj", "/CN=short"])
        let expected = TLSFault.refused(path: certificate, reason: "ee key too small")
        #expect(fault(TLSFiles(certificate: certificate, key: key)) == expected)
        #expect("\(expected)".hasSuffix("OpenSSL refuses the file: ee key too small"))
    }
}
