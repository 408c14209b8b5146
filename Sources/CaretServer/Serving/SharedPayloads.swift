import CaretWeb

/// The bytes in which lines leave on a connection.
enum LineForm {
    case lines
    /// Each line is a message of a WebSocket.
    case messages
}

/// A cache of the payloads of recent lines, so that a line for many connections is stored once. Confined to a
/// loop.
final class SharedPayloads {
    private struct Entry {
        /// Keeps the line alive, so that no other line gets the same address.
        let line: [UInt8]
        let form: LineForm
        let payload: Payload
    }

    private var entries = [Entry?](repeating: nil, count: SharedPayloads.places)

    /// The size of the cache: more than a busy document sends in a turn. It must be a power of two.
    private static let places = 256

    func payload(of line: [UInt8], as form: LineForm = .lines) -> Payload {
        let address = SharedPayloads.address(of: line)
        // The addresses of two lines differ by at least 16. The last bit is for the form.
        let place =
            Int(truncatingIfNeeded: address >> 3 & ~1 | (form == .lines ? 0 : 1))
            & (SharedPayloads.places - 1)
        if let entry = entries[place], SharedPayloads.address(of: entry.line) == address,
            entry.line.count == line.count, entry.form == form
        {
            return entry.payload
        }
        let payload = Payload(form == .lines ? line : FrameWriter.messages(of: line))
        entries[place] = Entry(line: line, form: form, payload: payload)
        return payload
    }

    /// Releases all lines.
    func forget() {
        for place in entries.indices where entries[place] != nil { entries[place] = nil }
    }

    private static func address(of line: [UInt8]) -> UInt {
        line.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
