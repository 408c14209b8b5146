/// The messages of the Yjs sync protocol that a load sends: a text, and letters typed into it.
enum YjsMessage {
    /// The first bytes of a message.
    static let sync: UInt8 = 0
    static let ask: UInt8 = 0
    static let answer: UInt8 = 1
    static let update: UInt8 = 2

    /// The client number of the author of the initial text.
    private static let maker = 1
    /// The name of the text inside its document.
    private static let name = "content"

    /// Requests the whole document.
    static let askingForAll: [UInt8] = [sync, ask, 1, 0]

    /// Inserts the initial text.
    static func text(_ text: String) -> [UInt8] {
        // The update has one author with one item, which begins at clock 0. The item is a string. It names
        // its parent, because it has no neighbours.
        message([[1, 1], number(maker), [0, 4, 1], string(name), string(text), [0]].flatMap { $0 })
    }

    /// Inserts one letter. The writer's first letter goes to the offset `place` of the initial text. `clock`
    /// is the number of letters that the writer has typed before.
    static func letter(_ letter: UInt8, at place: Int, by writer: Int, clock: Int) -> [UInt8] {
        let left = clock == 0 ? number(maker) + number(place - 1) : number(writer) + number(clock - 1)
        // The first byte is the kind of the item: a string (4) that names both neighbours (the two highest
        // bits).
        let item = [0xC4] + left + number(maker) + number(place) + [1, letter]
        return message([1, 1] + number(writer) + number(clock) + item + [0])
    }

    /// Wraps an update in a message. The last byte of the update is an empty list of deletions.
    private static func message(_ update: [UInt8]) -> [UInt8] {
        [sync, YjsMessage.update] + number(update.count) + update
    }

    private static func string(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }

    /// Encodes seven bits a byte, the lowest first.
    private static func number(_ value: Int) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
    }
}
