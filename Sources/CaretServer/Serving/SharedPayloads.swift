/// A cache of the payloads of recent lines, so that a line for many connections is stored once. Confined to a
/// loop.
final class SharedPayloads {
    private struct Entry {
        /// Keeps the line alive, so that no other line gets the same address.
        let line: [UInt8]
        let payload: Payload
    }

    private var entries = [Entry?](repeating: nil, count: SharedPayloads.slotCount)

    /// The size of the cache: more than a busy document sends in a turn. It must be a power of two.
    private static let slotCount = 256

    func payload(of line: [UInt8]) -> Payload {
        let address = SharedPayloads.address(of: line)
        // The addresses of two lines differ by at least 16.
        let slot = Int(truncatingIfNeeded: address >> 4) & (SharedPayloads.slotCount - 1)
        if let entry = entries[slot], SharedPayloads.address(of: entry.line) == address,
            entry.line.count == line.count
        {
            return entry.payload
        }
        let payload = Payload(line)
        entries[slot] = Entry(line: line, payload: payload)
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
