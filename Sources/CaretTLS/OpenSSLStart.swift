import COpenSSL

/// The initialization of OpenSSL.
package enum OpenSSLStart {
    /// Without this, OpenSSL frees its memory when the process ends. A thread that still uses a session or a key then
    /// reads freed memory, and the process crashes although its work is done. The system frees the memory
    /// anyway.
    private static let isDone = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Call this before any other function of OpenSSL.
    package static func ensure() { precondition(isDone, "OpenSSL cannot be initialized") }
}
