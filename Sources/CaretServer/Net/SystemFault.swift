import Glibc

/// A failed system call.
package struct SystemFault: Error, Equatable, CustomStringConvertible {
    /// The name of the call.
    package let call: String
    /// The `errno` that the call set.
    package let code: Int32

    /// Describes the call that has just failed.
    package init(_ call: StaticString, code: Int32 = errno) {
        self.call = call.description
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Repeats a call while signals interrupt it. If the call fails, returns a negative number and sets `errno`.
@inline(__always)
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer >= 0 || errno != EINTR { return answer }
    }
}
