/// Appends JSON to a buffer. The buffer is reused, so writing allocates no memory once the buffer has grown.
package struct JSONWriter: Sendable {
    /// The written bytes. The owner empties it after sending, and keeps the capacity.
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Begins an object: the message itself, an element of an array, or the value of a key.
    mutating func beginObject() {
        separateElement()
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    mutating func beginArray() {
        separateElement()
        bytes.append(UInt8(ascii: "["))
    }

    mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes the key of the next member.
    mutating func key(_ key: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        literal(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func value(_ number: Int) {
        separateElement()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(of: number.magnitude)
    }

    mutating func value(_ bool: Bool) {
        separateElement()
        literal(bool ? "true" : "false")
    }

    mutating func value(_ string: WireString) {
        separateElement()
        quoted(string)
    }

    /// Writes a string without a separator before it. The caller must have written the separator.
    mutating func quoted(_ string: WireString) {
        bytes.append(UInt8(ascii: "\""))
        string.withBytes { escaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a word that needs no escapes.
    mutating func value(word: StaticString) {
        separateElement()
        bytes.append(UInt8(ascii: "\""))
        literal(word)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes bytes that already are JSON.
    mutating func json(_ json: [UInt8]) {
        separateElement()
        bytes.append(contentsOf: json)
    }

    /// Ends a message with a line end.
    mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// Writes a comma, unless the previous byte opened an array, ended a key or ended a line.
    private mutating func separateElement() {
        switch bytes.last {
        case nil, UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func literal(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func digits(of number: UInt) {
        if number < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var (rest, first) = (number, buffer.count)
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                first -= 1
                buffer[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[first...]))
        }
    }

    /// Appends the content of a string, without quotes. The bytes may end inside a character.
    package mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        text.withMemoryRebound(to: UInt8.self) { escaped($0) }
    }

    package mutating func appendEscaped(_ text: [UInt8]) { text.withUnsafeBytes { appendEscaped($0) } }

    /// Writes the content of a string. Runs without special bytes are copied as a whole.
    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while true {
            let end = text.endOfRun(from: start)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { return }
            escape(text[end])
            start = end + 1
        }
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            literal(byte < 0x10 ? "u000" : "u001")
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: bytes.append(byte)
        }
    }
}

extension WireString {
    /// The maximum number of bytes that one byte takes in a JSON string.
    package static let mostEscape = 6

    /// The number of bytes that this string takes inside the quotes of a JSON string.
    package var escapedBytes: Int {
        withBytes { text in
            var (sum, index) = (text.count, text.endOfRun(from: 0))
            while index < text.count {
                switch text[index] {
                case 0x08, 0x09, 0x0A, 0x0C, 0x0D: sum += 1
                case 0..<0x20: sum += WireString.mostEscape - 1
                default: sum += 1
                }
                index = text.endOfRun(from: index + 1)
            }
            return sum
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, _ number: Int?) {
        if let number { member(name, number) }
    }

    mutating func member(_ name: StaticString, _ string: WireString) {
        key(name)
        value(string)
    }

    mutating func member(_ name: StaticString, _ string: WireString?) {
        if let string { member(name, string) }
    }

    mutating func member(_ name: StaticString, _ bool: Bool) {
        key(name)
        value(bool)
    }

    /// Writes the member only if `bool` is true.
    mutating func member(_ name: StaticString, ifTrue bool: Bool) {
        if bool { member(name, true) }
    }

    mutating func member<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
