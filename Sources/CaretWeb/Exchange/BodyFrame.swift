package import CaretWire

/// Turns the body of a request into a message, piece by piece, so that only the connection keeps the whole body in memory.
/// The bytes of a text are sent unchanged, after the JSON of the push.
package struct BodyFrame: Sendable {
    private enum Content {
        /// The body is the whole message.
        case taken
        /// The body is the text of a push.
        case text
        /// Like `text`, but with LF for every line break. `endsWithReturn` is true if the last byte was a CR.
        case normalText(endsWithReturn: Bool)
        /// The body, with LF for every line break, is compared with some texts. `rests` has the rest of each
        /// text that begins with the body so far. No message is sent.
        case compared(rests: [ArraySlice<UInt8>], endsWithReturn: Bool)
        /// The body is a JSON object, to which members are added. `held` has the last `}` and the blanks
        /// after it, in case the object ends there. `last` is the last byte before `held`, except blanks.
        case object(held: [UInt8], last: UInt8?)
    }

    /// How many bytes of the message come before the text, if the body is a text.
    package let head: Int?
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    private var content: Content
    private var validator = TextValidator()
    /// How many bytes of the body were read.
    private var length = 0
    private var wrongByte: Int?
    /// The body so far, if it is kept; nil once it is longer than `mostKept`.
    package private(set) var kept: [UInt8]?

    /// The longest body that is kept. Each connection may keep one.
    package static let mostKept = 64 << 10
    /// More blanks than this after a `}` mean that it cannot be the end of the body.
    private static let mostBlanks = 64

    /// A push whose text is the body. `keeps` says whether the body may have to be sent in another message.
    package init(text push: Push, keeps: Bool = false) {
        var push = push
        kept = keeps ? [] : nil
        push.content = .text("")
        (prefix, suffix) = (BodyFrame.encoded(push), [])
        head = prefix.count
        content = .text
    }

    /// A push that inserts the body at this offset, after `opening`.
    package init(inserting push: Push, at offset: Int, after opening: String) {
        var push = push
        push.content = .edits([WireEdit(WireRange(offset, offset), WireString(""))])
        let encoded = BodyFrame.encoded(push)
        (prefix, suffix) = (encoded + opening.utf8, [])
        head = encoded.count
        content = .normalText(endsWithReturn: false)
    }

    /// A push whose `edits` are in the body, which is an object.
    package init(edits push: Push) {
        head = nil
        prefix = []
        suffix = BodyFrame.members(of: push)
        content = .object(held: [], last: nil)
    }

    /// A message of this type about a document, if any. Its other members are in the body, which is an object.
    package init(object type: StaticString, about document: WireString? = nil) {
        head = nil
        (prefix, suffix) = ([], JSONWriter.endOfObject(type: type, document))
        content = .object(held: [], last: nil)
    }

    /// No message: the body is only compared with these texts.
    package init(comparing texts: [[UInt8]]) {
        head = nil
        (prefix, suffix) = ([], [])
        content = .compared(rests: texts.map { $0[...] }, endsWithReturn: false)
    }

    /// A message that is the body. It is not one of the server's protocol.
    package init() {
        head = nil
        (prefix, suffix) = ([], [])
        content = .taken
    }

    /// Whether the body is a message that is not one of the server's protocol.
    package var isTaken: Bool { if case .taken = content { true } else { false } }

    /// Whether the body so far was compared with texts, and is equal to one of them.
    package var isEqual: Bool {
        guard case .compared(let rests, _) = content else { return false }
        return rests.contains { $0.isEmpty }
    }

    /// Whether the body so far was compared with texts, and none of them begins with it.
    package var isDifferent: Bool {
        guard case .compared(let rests, _) = content else { return false }
        return rests.isEmpty
    }

    /// The offset in the body of the first byte that is not UTF-8, if the body is a text. A character that is
    /// incomplete at the end is wrong there.
    package func wrongByte(isAtEnd: Bool) -> Int? {
        wrongByte ?? (isAtEnd && !validator.isComplete ? length : nil)
    }

    private mutating func validate(_ piece: UnsafeRawBufferPointer) {
        if wrongByte == nil, let offset = validator.firstWrongByte(in: piece) { wrongByte = length + offset }
        length += piece.count
    }

    private static func encoded(_ push: Push) -> [UInt8] {
        var writer = JSONWriter()
        push.encode(into: &writer)
        // The line feed at the end is not part of a message.
        return Array(writer.bytes.dropLast())
    }

    /// The members of a push without its edits, and the end of its object.
    private static func members(of push: Push) -> [UInt8] {
        var push = push
        push.content = .edits([])
        let encoded = encoded(push)
        // No string of the message contains the mark, because JSON escapes quotes.
        let edits = #","edits":[]"#
        guard let range = encoded.firstRange(of: edits.utf8) else {
            preconditionFailure("an encoded push does not contain \(edits)")
        }
        return Array(encoded[1..<range.lowerBound] + encoded[range.upperBound...])
    }

    /// The bytes of the message before the body.
    package var start: [UInt8] { prefix }

    /// The bytes of the message for the next piece of the body.
    package mutating func bytes(for piece: UnsafeRawBufferPointer) -> [UInt8] {
        if let count = kept?.count {
            if count + piece.count <= BodyFrame.mostKept {
                kept?.append(contentsOf: piece)
            } else {
                kept = nil
            }
        }
        switch content {
        case .taken: return Array(piece)
        case .text:
            validate(piece)
            return Array(piece)
        case .normalText(var endsWithReturn):
            validate(piece)
            let text = BodyFrame.normal(piece, &endsWithReturn)
            content = .normalText(endsWithReturn: endsWithReturn)
            return text
        case .compared(let rests, var endsWithReturn):
            let text = BodyFrame.normal(piece, &endsWithReturn)
            let left = rests.filter { $0.starts(with: text) }.map { $0.dropFirst(text.count) }
            content = .compared(rests: left, endsWithReturn: endsWithReturn)
            return []
        case .object(let held, let last):
            let bytes = held + piece
            var end = bytes.endIndex
            if let brace = bytes.lastIndex(where: { !$0.isJSONBlank }), bytes[brace] == UInt8(ascii: "}"),
                bytes.count - brace <= BodyFrame.mostBlanks
            {
                end = brace
            }
            let start = bytes[..<end]
            content = .object(held: Array(bytes[end...]), last: start.last { !$0.isJSONBlank } ?? last)
            return Array(start)
        }
    }

    /// A piece of a text with LF for every line break.
    private static func normal(_ piece: UnsafeRawBufferPointer, _ endsWithReturn: inout Bool) -> [UInt8] {
        var text: [UInt8] = []
        for byte in piece {
            if byte != UInt8(ascii: "\n") || !endsWithReturn {
                text.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
            }
            endsWithReturn = byte == UInt8(ascii: "\r")
        }
        return text
    }

    /// The bytes of the message after the body.
    package func end() -> [UInt8] {
        switch content {
        case .taken, .text, .normalText, .compared: return suffix
        case .object(let held, let last):
            // Without a `}`, the server will refuse the message, and say at which byte it is wrong. A message
            // without any byte would get no answer, so the message ends with a blank.
            if held.isEmpty { return [UInt8(ascii: " ")] }
            return (last == UInt8(ascii: "{") ? [] : [UInt8(ascii: ",")]) + suffix
        }
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool {
        isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r")
    }
}
