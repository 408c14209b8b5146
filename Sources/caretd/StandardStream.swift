import Glibc

/// A standard stream of the process.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes the text. Returns false if the text could not be written completely.
    @discardableResult
    func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
