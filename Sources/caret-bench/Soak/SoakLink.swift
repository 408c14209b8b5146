import Glibc

/// A connection of the soak: whoever asks reads on until the answer to that has come, and what else comes is dropped.
final class SoakLink {
    /// How a client goes.
    enum End: CaseIterable {
        /// It ends what it says, and then the connection.
        case leaves
        /// What was on its way to it is lost, and the server hears of a reset.
        case isCut
        /// In the middle of a line.
        case isCutShort
    }

    private let socket: Int32
    private var input: [UInt8] = []
    private var asked = 0

    init(port: UInt16) {
        socket = connected(to: port)
        // An answer that does not come by then is a fault of the server.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Says a message of a type with these other members.
    func say(_ type: String, _ members: String = "") { write(#"{"type":"\#(type)"\#(members)}"# + "\n") }

    /// Says a message, and answers with the line that is its answer.
    func ask(_ type: String, _ members: String = "") -> SoakAnswer {
        asked += 1
        say(type, #","id":\#(asked)\#(members)"#)
        while true {
            let line = nextLine()
            if line.starts(with: #"{"type":"ping"}"#.utf8) {
                say("pong")
                continue
            }
            let answer = SoakAnswer(line: String(decoding: line, as: UTF8.self))
            if answer.number(of: "id") == asked { return answer }
        }
    }

    func end(_ end: End) {
        switch end {
        case .leaves: shutdown(socket, Int32(SHUT_WR))
        case .isCut:
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        case .isCutShort: write(#"{"type":"push","doc":"soak/0","te"#)
        }
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            precondition(count > 0, "the server does not take a line: \(errno)")
            rest = rest.dropFirst(count)
        }
    }

    /// Without its end.
    private func nextLine() -> [UInt8] {
        var seen = 0
        while true {
            if let end = input[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeFirst(end + 1) }
                return Array(input[..<end])
            }
            seen = input.count
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, read(socket, buffer.baseAddress, buffer.count))
            }
            precondition(!piece.isEmpty, "the server has ended a connection, or is silent for a minute")
            input += piece
        }
    }
}

/// What the server has answered.
struct SoakAnswer {
    let line: String

    /// The code of the error that it is, if it is one.
    var error: String? { line.hasPrefix(#"{"type":"error""#) ? word(of: "code") : nil }

    /// The first number that has this name.
    func number(of name: String) -> Int? { value(of: name) { Int($0.prefix { $0.isNumber }) } }

    /// The first string that has this name, without escapes.
    func word(of name: String) -> String? { value(of: name) { String($0.dropFirst().prefix { $0 != "\"" }) } }

    private func value<Value>(of name: String, _ read: (Substring) -> Value?) -> Value? {
        guard let place = line.firstRange(of: "\"\(name)\":") else { return nil }
        return read(line[place.upperBound...])
    }
}
