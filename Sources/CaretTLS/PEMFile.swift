import COpenSSL

/// The bytes of a PEM file. The memory is overwritten at the end, because it may contain a private key.
struct PEMFile: ~Copyable {
    /// The largest file that is read. A chain of certificates has some KiB.
    static let limit = 1 << 20

    let path: String
    private let bytes: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Reads a file. `isSecret` refuses a file that other users may read.
    init(_ path: String, isSecret: Bool = false) throws(TLSFault) {
        OpenSSLStart.ensure()
        self.path = path
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.limit + 1, alignment: 1)
        do throws(TLSFault) {
            count = try Self.read(path, into: buffer, isSecret: isSecret)
        } catch {
            Self.free(buffer, buffer.count)
            throw error
        }
        bytes = buffer
    }

    private static func read(
        _ path: String, into buffer: UnsafeMutableRawBufferPointer, isSecret: Bool
    ) throws(TLSFault) -> Int {
        let found: SmallFile.Contents
        do throws(SmallFile.Fault) { found = try SmallFile.read(path, into: buffer) } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        if isSecret, found.isOpenToOthers { throw .keyReadableByOthers(path: path, mode: found.mode) }
        if found.count > limit { throw .tooLarge(path: path, limit: limit) }
        return found.count
    }

    deinit { Self.free(bytes, count) }

    private static func free(_ bytes: UnsafeMutableRawBufferPointer, _ count: Int) {
        OPENSSL_cleanse(bytes.baseAddress, count)
        bytes.deallocate()
    }

    /// The certificates in the order of the file. At least one.
    func certificates() throws(TLSFault) -> [X509Reference] {
        var found: [X509Reference] = []
        let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(count))
        defer { BIO_free(bio) }
        while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
            found.append(X509Reference(owning: certificate))
        }
        OpenSSLErrors.clear()
        if found.isEmpty { throw .notCertificate(path: path) }
        return found
    }

    /// The first private key. The caller must free it with `EVP_PKEY_free`.
    func privateKey() throws(TLSFault) -> OpaquePointer {
        let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(count))
        defer { BIO_free(bio) }
        // Without a password given here, OpenSSL would ask for one at the terminal.
        var password = [CChar](repeating: 0, count: 1)
        let key = PEM_read_bio_PrivateKey(bio, nil, nil, &password)
        OpenSSLErrors.clear()
        guard let key else { throw .notKey(path: path) }
        return key
    }
}

/// A certificate of OpenSSL, which is freed with the last reference.
final class X509Reference {
    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Calls `body` with the certificate, which is not freed before `body` returns.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { extendLifetime(self) }
        return body(pointer)
    }
}
