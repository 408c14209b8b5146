import COpenSSL
import Glibc

/// The bytes of a PEM file. The memory is overwritten at the end, because it may contain a private key.
struct PEMFile: ~Copyable {
    /// The largest file that is read. A chain of certificates has some KiB.
    static let limit = 1 << 20

    let path: String
    private let bytes: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Reads a file. `isSecret` refuses a file that other users may read.
    init(_ path: String, isSecret: Bool = false) throws(TLSFault) {
        OpenSSLStart.ensure()
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var found = stat()
        if fstat(descriptor, &found) != 0 { throw Self.unreadable(path) }
        if isSecret, found.st_mode & 0o077 != 0 {
            throw .keyReadableByOthers(path: path, mode: found.st_mode & 0o7777)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.limit + 1, alignment: 1)
        var filled = 0
        while filled < buffer.count {
            let size = Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            if size < 0, errno == EINTR { continue }
            if size < 0 {
                let fault = Self.unreadable(path)
                Self.free(buffer, filled)
                throw fault
            }
            if size == 0 { break }
            filled += size
        }
        if filled > Self.limit {
            Self.free(buffer, filled)
            throw .tooLarge(path: path, limit: Self.limit)
        }
        bytes = buffer
        count = filled
    }

    deinit { Self.free(bytes, count) }

    private static func free(_ bytes: UnsafeMutableRawBufferPointer, _ count: Int) {
        OPENSSL_cleanse(bytes.baseAddress, count)
        bytes.deallocate()
    }

    private static func unreadable(_ path: String) -> TLSFault {
        .unreadable(path: path, reason: String(cString: strerror(errno)))
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
