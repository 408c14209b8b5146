import Glibc

/// Why unsaved edits cannot be kept in a folder, or not be had from it.
public struct KeepingFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ what: String, _ path: String, code: Int32) {
        let reason = code == EWOULDBLOCK ? "another client has it" : String(cString: strerror(code))
        description = "\(path): could not \(what): \(reason)"
    }
}
