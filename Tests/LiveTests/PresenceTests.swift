import Testing

@Suite("Carets of many clients over a socket", .onOwnThread) struct PresenceTests {
    private static let moves = 200

    /// A client, and the selections that it knows of others, by their sessions.
    private final class Member {
        let client: any MessageClient
        /// The number of the last move of each session.
        private(set) var known: [String: Int] = [:]
        private(set) var left: Set<String> = []

        init(_ server: LiveServer, _ number: Int) throws {
            client = try server.connect()
            try client.greet(as: "client-\(number)")
            try client.send(#"{"type":"open","doc":"a","create":true}"#)
            try client.expect(#"{"type":"opened","doc":"a",…"#)
        }

        /// Reads until the condition holds. Each caret of a session must be newer than the one before.
        func read(until isDone: (Member) -> Bool) throws {
            while !isDone(self) {
                let line = try #require(try client.next())
                let session = try value(#"{"type":"peer","doc":"a","session":"⟨value⟩",…"#, in: line)
                if line.contains(#""left":true"#) {
                    #expect(left.insert(session).inserted && known[session] != nil, "\(line)")
                    continue
                }
                #expect(!left.contains(session), "\(line)")
                let move = try #require(Int(try value(#"…,"selections":[[⟨value⟩,…"#, in: line)))
                #expect(move > known[session] ?? 0, "\(line)")
                known[session] = move
            }
        }

        private func value(_ pattern: String, in line: String) throws -> String {
            try #require(Pattern(pattern).matches(line)?["value"], "\(line)")
        }
    }

    /// Rules S1 and S4.
    @Test(
        "everybody gets the last caret of everybody, and then the departures",
        arguments: Transport.lines(and: .webSocket))
    func crowd(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let writer = try server.connect()
        try writer.greet(as: "the-writer")
        let text = String(repeating: "x", count: PresenceTests.moves)
        try writer.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(text)","create":true}"#)
        try writer.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…"#)
        let members = try (0..<6).map { try Member(server, $0) }
        for move in 1...PresenceTests.moves {
            for member in members {
                let select = #"{"type":"select","doc":"a","rev":1,"selections":[[\#(move),0]]}"#
                try member.client.send(select)
            }
        }
        for member in members {
            try member.read { member in
                member.known.count == 5 && member.known.values.allSatisfy { $0 == PresenceTests.moves }
            }
        }
        // Nobody has received a caret of their own session.
        #expect(Set(members.flatMap(\.known.keys)).count == 6)
        for member in members.dropFirst() { try member.client.send(#"{"type":"close","doc":"a"}"#) }
        try members[0].read { $0.left.count == 5 }
        #expect(members[0].left == Set(members[0].known.keys))
    }
}
