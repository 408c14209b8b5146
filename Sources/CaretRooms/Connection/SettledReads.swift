import CaretLog
import CaretWire

/// Which documents a connection has read before, so that another read need not wait for pushes.
///
/// A read waits for every earlier push of the same client to the same document (rule O6), and only the room knows
/// those of the client's earlier connections. After the hub has answered one read, all of them are resolved.
struct SettledReads: Sendable {
    /// How many documents are remembered.
    private static let most = 64

    /// The epochs of the documents, by their names. Another document that gets the name has another epoch.
    private var epochs: [DocumentName: WireString] = [:]

    /// The hub has answered a read with this text.
    mutating func add(_ read: Read, _ text: WireText) {
        guard read.moment == .unspecified, let name = try? DocumentName(read.document.string),
            epochs[name] != text.epoch
        else { return }
        if epochs.count >= SettledReads.most { epochs = [:] }
        epochs[name] = text.epoch
    }

    func contains(_ text: ReadText) -> Bool { epochs[text.name] == text.epoch }
}
