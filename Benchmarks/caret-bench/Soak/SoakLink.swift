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

    private let socket: LineSocket
    private var asked = 0

    init(port: UInt16) { socket = LineSocket(port: port) }

    /// Says a message of a type with these other members.
    func say(_ type: String, _ members: String = "") {
        socket.write(#"{"type":"\#(type)"\#(members)}"# + "\n")
    }

    /// Says a message, and answers with the line that is its answer.
    func ask(_ type: String, _ members: String = "") -> SoakAnswer {
        asked += 1
        say(type, #","id":\#(asked)\#(members)"#)
        while true {
            let line = socket.nextLine()
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
        case .leaves: socket.endOutput()
        case .isCut: socket.resetWhenClosed()
        case .isCutShort: socket.write(#"{"type":"push","doc":"soak/0","te"#)
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
