import Glibc

/// A call of the system that failed.
package struct SystemFault: Error, Equatable, CustomStringConvertible {
    /// The call's name.
    package let call: String
    /// The `errno` it left.
    package let code: Int32

    /// Of the call that failed just now.
    package init(_ call: StaticString, code: Int32 = errno) {
        self.call = call.description
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Does a call again while a signal interrupts it. The answer is negative where it failed, with the reason in `errno`.
@inline(__always)
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer >= 0 || errno != EINTR { return answer }
    }
}
