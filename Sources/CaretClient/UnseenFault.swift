#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides whether a client says on standard error why it is not connected.
///
/// A client that reconnects waits for its server as long as it takes. So a program with a wrong address would wait in
/// silence, if it never looks at the status of the connection.
package struct UnseenFault {
    /// True once no warning is needed: the program has read the status, a warning was written, or warnings are off.
    private var isSettled = false

    package init() {}

    package mutating func settle() { isSettled = true }

    /// What to say about a new status: at most one sentence in the life of a client, and none after the first connection.
    /// From then on, the states of the documents show what is not saved. If `isAwaited` is true, callers wait that get the
    /// fault when the client ends.
    package mutating func warning(about status: ConnectionStatus, isAwaited: Bool) -> String? {
        switch status.state {
        case .connecting: return nil
        case .connected:
            settle()
            return nil
        case .waiting:
            return warning(
                status, advice: " Check the address, and that the server runs. The client tries again.")
        case .ended: return status.lastError == .closed || isAwaited ? nil : warning(status, advice: "")
        }
    }

    private mutating func warning(_ status: ConnectionStatus, advice: String) -> String? {
        guard !isSettled, let sentence = status.lastError?.errorDescription else { return nil }
        settle()
        return "CaretClient: \(sentence)\(advice)"
    }
}
