/// Messages of the sync protocol of Yjs, as far as a load writes them: a text, and letters that are typed into it.
enum YjsMessage {
    /// Bytes that a message begins with.
    static let sync: UInt8 = 0
    static let ask: UInt8 = 0
    static let answer: UInt8 = 1
    static let update: UInt8 = 2

    /// Who wrote the text that is there before anybody types.
    private static let maker = 1
    /// What the text is called inside its document.
    private static let name = "content"

    /// Asks for all that there is.
    static let askingForAll: [UInt8] = [sync, ask, 1, 0]

    /// The text before anybody types.
    static func text(_ text: String) -> [UInt8] {
        // Of one writer, one item, from his clock 0 on: a string without neighbours, whose parent is named.
        message([[1, 1], number(maker), [0, 4, 1], string(name), string(text), [0]].flatMap { $0 })
    }

    /// One letter of a writer who types on from a place in that text; `clock` is how many he has typed before.
    static func letter(_ letter: UInt8, at place: Int, by writer: Int, clock: Int) -> [UInt8] {
        let left = clock == 0 ? number(maker) + number(place - 1) : number(writer) + number(clock - 1)
        // A string with both its neighbours: 4, with the two highest bits.
        let item = [0xC4] + left + number(maker) + number(place) + [1, letter]
        return message([1, 1] + number(writer) + number(clock) + item + [0])
    }

    /// An update whose last byte says that nothing is deleted.
    private static func message(_ update: [UInt8]) -> [UInt8] {
        [sync, YjsMessage.update] + number(update.count) + update
    }

    private static func string(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }

    /// Seven bits a byte, the lowest first.
    private static func number(_ value: Int) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
    }
}
