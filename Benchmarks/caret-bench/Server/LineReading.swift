import Glibc

// Reads single fields of a server's line without decoding it. The load shares the machine with the measured
// server, so reading a line must cost little CPU time.
extension UnsafeRawBufferPointer {
    /// The number that begins at this index.
    func number(at place: Int) -> Int {
        var (number, place) = (0, place)
        while place < count, case let digit = self[place] &- UInt8(ascii: "0"), digit < 10 {
            number = number &* 10 &+ Int(digit)
            place += 1
        }
        return number
    }

    /// The index after the first occurrence of `mark` that begins at `start` or later.
    func end(of mark: StaticString, from start: Int = 0) -> Int {
        if let end = endIfFound(of: mark, from: start) { return end }
        preconditionFailure("the server's line does not contain \(mark): \(string)")
    }

    /// The same index, or nil if there is no such `mark`.
    func endIfFound(of mark: StaticString, from start: Int = 0) -> Int? {
        let length = mark.utf8CodeUnitCount
        var place = start
        while place + length <= count {
            guard let base = baseAddress,
                let found = memchr(base + place, Int32(mark.utf8Start[0]), count - place)
            else { break }
            place = found - UnsafeMutableRawPointer(mutating: base)
            if place + length <= count, memcmp(found, mark.utf8Start, length) == 0 { return place + length }
            place += 1
        }
        return nil
    }

    /// The string that begins at this index. It must have no escapes.
    func word(at place: Int) -> String {
        String(decoding: self[place...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// The type of the message, found by its first letters.
    var kind: LineKind? {
        count > 13 ? LineKind(rawValue: loadUnaligned(fromByteOffset: 9, as: UInt32.self)) : nil
    }

    var string: String { String(decoding: prefix(200), as: UTF8.self) }
}

/// The first letters of a message's type, which follow `{"type":"`.
struct LineKind: RawRepresentable, Equatable {
    let rawValue: UInt32

    static let change = LineKind("chan")
    static let ack = LineKind("ack\"")
    static let check = LineKind("chec")
    static let listed = LineKind("list")
    static let opened = LineKind("open")
    static let peer = LineKind("peer")
    static let ping = LineKind("ping")
    static let resync = LineKind("resy")
    static let text = LineKind("text")
    static let welcome = LineKind("welc")

    init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ letters: StaticString) {
        rawValue = UnsafeRawPointer(letters.utf8Start).loadUnaligned(as: UInt32.self)
    }
}
