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

    private var entries = [Entry?](repeating: nil, count: SharedPayloads.slotCount)

    /// The size of the cache: more than a busy document sends in a turn. It must be a power of two.
    private static let slotCount = 256

    func payload(of line: [UInt8], as form: LineForm = .lines) -> Payload {
        let address = SharedPayloads.address(of: line)
        // The addresses of two lines differ by at least 16. The last bit is for the form.
        let slot =
            Int(truncatingIfNeeded: address >> 3 & ~1 | (form == .lines ? 0 : 1))
            & (SharedPayloads.slotCount - 1)
        if let entry = entries[slot], SharedPayloads.address(of: entry.line) == address,
            entry.line.count == line.count, entry.form == form
        {
            return entry.payload
        }
        let payload = Payload(form == .lines ? line : FrameWriter.messages(of: line))
        entries[slot] = Entry(line: line, form: form, payload: payload)
        return payload
    }

    /// Releases all lines.
    func forget() {
        for slot in entries.indices where entries[slot] != nil { entries[slot] = nil }
    }

    private static func address(of line: [UInt8]) -> UInt {
        line.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
