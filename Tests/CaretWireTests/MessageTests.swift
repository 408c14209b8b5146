import CaretCore
import CaretWire
import Foundation
import TestSupport
import Testing

@Suite("Encoding and decoding of messages") struct MessageTests {
    @Test("every client message survives a round trip")
    func clientRoundTrip() throws {
        var decoder = MessageDecoder()
        for seed in Seeds.first(Seeds.share(of: 20_000, everyCommit: 500)) {
            var random = Seeded(seed)
            for message in SampleMessages.client(&random) {
                let id = SampleMessages.id(&random)
                let line = message.line(id: id)
                let answer = try decoder.clientMessage(line)
                #expect(answer == Envelope(message, id: id), "\(Seeds.replay(seed, of: "clientRoundTrip"))")
            }
        }
    }

    @Test("every server message survives a round trip")
    func serverRoundTrip() throws {
        var decoder = MessageDecoder()
        for seed in Seeds.first(Seeds.share(of: 20_000, everyCommit: 500)) {
            var random = Seeded(seed)
            for message in SampleMessages.server(&random) {
                let id = SampleMessages.id(&random)
                let line = message.line(id: id)
                let answer = try decoder.serverMessage(line)
                #expect(answer == Envelope(message, id: id), "\(Seeds.replay(seed, of: "serverRoundTrip"))")
            }
        }
    }

    @Test("an encoded message is a plain JSON object without line breaks")
    func linesArePlain() throws {
        for seed in Seeds.first(50) {
            var random = Seeded(seed)
            let lines =
                SampleMessages.client(&random).map { $0.line() }
                + SampleMessages.server(&random).map { $0.line() }
            for line in lines {
                let object = try JSONSerialization.jsonObject(with: Data(line))
                #expect((object as? [String: Any])?["type"] is String)
                #expect(line.allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test("a `history` request without options asks for no edits")
    func plainHistory() throws {
        let plain = try decoded(#"{"type":"history","doc":"a"}"#).get()
        #expect(plain.message == .history(History(document: "a")))
    }

    @Test("an emptied writer encodes the next messages in the same memory")
    func writerIsReused() {
        var writer = JSONWriter()
        Ping().encode(id: .number(9), into: &writer)
        Close(document: "a\u{0}\"\\\n").encode(into: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let wanted = #"{"type":"ping","id":9}"# + "\n" + #"{"type":"close","doc":"a\u0000\"\\\n"}"# + "\n"
        #expect(text == wanted)
        let place = writer.bytes.withUnsafeBufferPointer { $0.baseAddress }
        let room = writer.bytes.capacity
        writer.bytes.removeAll(keepingCapacity: true)
        Close(document: "a\u{0}\"\\\n").encode(into: &writer)
        Ping().encode(id: .number(9), into: &writer)
        #expect(writer.bytes.count == wanted.utf8.count && writer.bytes.capacity == room)
        #expect(writer.bytes.withUnsafeBufferPointer { $0.baseAddress } == place)
    }
}

@Suite("The protocol's examples") struct ExampleTests {
    private struct Example {
        let isClients: Bool
        let line: [UInt8]

        init(_ text: String) {
            isClients = text.hasPrefix("> ")
            line = Array(text.utf8.dropFirst(2))
        }
    }

    private func examples() throws -> [Example] {
        try WireFixture.lines(of: "examples.txt").map(Example.init)
    }

    @Test("every example line survives a round trip")
    func examplesDecode() throws {
        var decoder = MessageDecoder()
        for example in try examples() {
            let text = String(decoding: example.line, as: UTF8.self)
            if example.isClients {
                let message = try decoder.clientMessage(example.line)
                #expect(try decoder.clientMessage(message.message.line(id: message.id)) == message)
            } else {
                let message = try #require(try decoder.serverMessage(example.line), "\(text)")
                #expect(try decoder.serverMessage(message.message.line(id: message.id)) == message)
            }
        }
    }

    @Test("every type of message has an example")
    func everyTypeIsShown() throws {
        var decoder = MessageDecoder()
        var random = Seeded(1)
        let client = Set(SampleMessages.client(&random).map(name))
        let server = Set(SampleMessages.server(&random).map(name))
        let (sent, received) = try examples().reduce(into: (Set<String>(), Set<String>())) { names, example in
            if example.isClients {
                names.0.insert(name(try decoder.clientMessage(example.line).message))
            } else if let message = try decoder.serverMessage(example.line) {
                names.1.insert(name(message.message))
            }
        }
        #expect(client == sent)
        #expect(server == received)
    }

    @Test("the server writes each example exactly as the file shows it")
    func bytesAreThoseOfTheProtocol() throws {
        var decoder = MessageDecoder()
        let shown = [
            #"{"type":"ack","id":2,"doc":"notes/today","seq":4,"rev":1053}"#,
            #"{"type":"check","doc":"notes/today","rev":1051,"length":5120,"crc32":"0ae0daaf"}"#,
            #"{"type":"done","id":"é"}"#,
        ]
        for line in shown {
            let message = try #require(try decoder.serverMessage(Array(line.utf8)))
            #expect(String(decoding: message.message.line(id: message.id), as: UTF8.self) == line)
        }
    }

    @Test("a checksum with a capital or another letter is no message", arguments: ["0AE0DAAF", "0ae0daag"])
    func checksums(digits: String) {
        var decoder = MessageDecoder()
        let line = #"{"type":"check","doc":"a","rev":1,"length":5,"crc32":"\#(digits)"}"#
        #expect(throws: WireFault.self) { try decoder.serverMessage(Array(line.utf8)) }
    }

    /// The name of the enum case. If the value of the case is an enum too, the name of that inner case.
    private func name(_ message: Any) -> String {
        guard let only = Mirror(reflecting: message).children.first else { return "\(message)" }
        let isCase = Mirror(reflecting: only.value).displayStyle == .enum
        return isCase ? name(only.value) : only.label ?? "\(message)"
    }
}
