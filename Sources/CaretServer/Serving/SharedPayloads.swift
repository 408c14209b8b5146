import CaretRooms
import CaretWeb
import CaretWire

/// A cache of the payloads of recent lines, so that a line for many connections is stored once. Confined to a
/// loop.
final class SharedPayloads {
    private struct Entry {
        /// Keeps the line alive, so that no other line gets the same address.
        let line: [UInt8]
        let form: LineForm
        let payload: Payload
        /// For a line sent as HTTP events: the epoch of the document after this line.
        let epoch: WireString?
    }

    private let meter: any PayloadMeter
    /// Reads the versions in lines that become events.
    private var decoder = MessageDecoder()
    /// The slots that were filled since `forget`, some of them more than once.
    private var filledSlots: [Int] = []
    private var entries = [Entry?](repeating: nil, count: SharedPayloads.slotCount)

    /// The size of the cache: more than a busy document sends in a turn. It must be a power of two.
    private static let slotCount = 256

    init(_ meter: any PayloadMeter) { self.meter = meter }

    func payload(of line: [UInt8], as form: LineForm = .lines) -> Payload {
        payloadAndEpoch(of: line, as: form).payload
    }

    /// The payload of a line, and the epoch after it.
    func payloadAndEpoch(of line: [UInt8], as form: LineForm) -> (payload: Payload, epoch: WireString?) {
        let address = SharedPayloads.address(of: line)
        // The addresses of two lines differ by at least 16, so the last bit of the slot can store the form.
        let slot =
            Int(truncatingIfNeeded: address >> 3 & ~1 | (form == .lines ? 0 : 1))
            & (SharedPayloads.slotCount - 1)
        if let entry = entries[slot], SharedPayloads.address(of: entry.line) == address,
            entry.form == form
        {
            return (entry.payload, entry.epoch)
        }
        let (bytes, epoch) = bytes(of: line, as: form)
        let payload = Payload(bytes, meter: meter)
        entries[slot] = Entry(line: line, form: form, payload: payload, epoch: epoch)
        filledSlots.append(slot)
        return (payload, epoch)
    }

    private func bytes(of line: [UInt8], as form: LineForm) -> ([UInt8], WireString?) {
        switch form {
        case .lines: (line, nil)
        case .messages: (FrameWriter.messages(of: line), nil)
        case .events(let form): EventWriter.events(of: line, as: form, &decoder)
        }
    }

    /// Releases all lines.
    func forget() {
        for slot in filledSlots { entries[slot] = nil }
        filledSlots.removeAll(keepingCapacity: true)
    }

    private static func address(of line: [UInt8]) -> UInt {
        line.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
