#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Why unsaved edits cannot be written to a folder or read from it.
public struct UnsavedEditsFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    package init(description: String) { self.description = description }

    init(_ what: String, _ path: String, code: Int32) {
        let reason =
            code == EWOULDBLOCK
            ? "another client uses the folder of unsaved edits" : String(cString: strerror(code))
        description = "\(path): could not \(what): \(reason)"
    }
}
