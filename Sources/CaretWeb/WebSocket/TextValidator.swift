/// Checks UTF-8 that arrives in pieces, which may end inside a character. It finds the first wrong byte at once.
struct TextValidator: Sendable {
    /// How many bytes of the current character are missing.
    private var missing: UInt8 = 0
    /// The bytes that may come next. Only the second byte of a character has other bounds than 80 to BF.
    private var allowed: ClosedRange<UInt8> = Self.continuation

    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the last character is complete.
    var isComplete: Bool { missing == 0 }

    /// Returns false if the text is not valid UTF-8.
    mutating func accepts(_ piece: some Collection<UInt8>) -> Bool { firstWrongByte(in: piece) == nil }

    /// The offset of the first byte that cannot follow the bytes before it. No piece may follow one.
    mutating func firstWrongByte(in piece: some Collection<UInt8>) -> Int? {
        // ASCII needs no state. This loop is fast, because it never stops early.
        if missing == 0, piece.reduce(0, |) < 0x80 { return nil }
        for (offset, byte) in piece.enumerated() {
            if missing > 0 {
                guard allowed ~= byte else { return offset }
                (missing, allowed) = (missing - 1, Self.continuation)
            } else if byte >= 0x80 {
                guard begin(with: byte) else { return offset }
            }
        }
        return nil
    }

    /// The bounds exclude long forms of short characters, surrogates, and numbers above U+10FFFF.
    private mutating func begin(with byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
