/// A connection of the soak. After a request it reads until the answer arrives, and drops everything else.
final class SoakLink {
    /// How a client disconnects.
    enum End: CaseIterable {
        /// The client ends its output, then the connection.
        case leaves
        /// The client resets the connection, so data on its way to the client is lost.
        case isCut
        /// The client disconnects in the middle of a line.
        case isCutShort
    }

    private let socket: LineSocket
    private var lastRequest = 0

    init(port: UInt16) { socket = LineSocket(port: port) }

    /// Sends a message of this type with further members.
    func send(_ type: String, _ members: String = "") {
        socket.write(#"{"type":"\#(type)"\#(members)}"# + "\n")
    }

    /// Sends a message, and returns the line that answers it.
    func ask(_ type: String, _ members: String = "") -> SoakAnswer {
        lastRequest += 1
        send(type, #","id":\#(lastRequest)\#(members)"#)
        while true {
            let line = socket.nextLine()
            if line.starts(with: #"{"type":"ping"}"#.utf8) {
                send("pong")
                continue
            }
            let answer = SoakAnswer(line: String(decoding: line, as: UTF8.self))
            if answer.number(of: "id") == lastRequest { return answer }
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

/// An answer of the server.
struct SoakAnswer {
    let line: String

    /// The code, if the answer is an error.
    var error: String? { line.hasPrefix(#"{"type":"error""#) ? word(of: "code") : nil }

    /// The first number with this name.
    func number(of name: String) -> Int? { value(of: name) { Int($0.prefix { $0.isNumber }) } }

    /// The first string with this name. It must have no escapes.
    func word(of name: String) -> String? { value(of: name) { String($0.dropFirst().prefix { $0 != "\"" }) } }

    private func value<Value>(of name: String, _ read: (Substring) -> Value?) -> Value? {
        guard let place = line.firstRange(of: "\"\(name)\":") else { return nil }
        return read(line[place.upperBound...])
    }
}
