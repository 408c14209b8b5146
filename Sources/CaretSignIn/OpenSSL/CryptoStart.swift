import COpenSSL

/// The initialization of OpenSSL.
enum CryptoStart {
    /// OpenSSL must not free its memory when the process ends, because a thread may still use a key.
    private static let isDone = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Call this before any function of OpenSSL that makes a key.
    static func ensure() { precondition(isDone, "OpenSSL cannot be initialized") }
}
