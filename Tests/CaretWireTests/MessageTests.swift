import CaretCore
import CaretWire
import Foundation
import TestSupport
import Testing

@Suite("Messages") struct MessageTests {
    @Test("a client's message of any type comes out as it went in")
    func clientRoundTrip() throws {
        var decoder = MessageDecoder()
        for seed in 0..<UInt64(500) {
            var random = Seeded(seed)
            for message in SampleMessages.client(&random) {
                let id = SampleMessages.id(&random)
                let line = message.line(id: id)
                #expect(try decoder.clientMessage(line) == Envelope(message, id: id), "seed \(seed)")
            }
        }
    }

    @Test("the server's message of any type comes out as it went in")
    func serverRoundTrip() throws {
        var decoder = MessageDecoder()
        for seed in 0..<UInt64(500) {
            var random = Seeded(seed)
            for message in SampleMessages.server(&random) {
                let id = SampleMessages.id(&random)
                let line = message.line(id: id)
                #expect(try decoder.serverMessage(line) == Envelope(message, id: id), "seed \(seed)")
            }
        }
    }

    @Test("a line is one JSON object that any reader understands, and ends with LF alone")
    func linesArePlain() throws {
        for seed in 0..<UInt64(50) {
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

    @Test("a writer that has grown is written to again without growing")
    func writerIsReused() {
        var writer = JSONWriter()
        Ping().encode(id: .number(9), into: &writer)
        Close(document: "a\u{0}\"\\\n").encode(into: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let wanted = #"{"type":"ping","id":9}"# + "\n" + #"{"type":"close","doc":"a\u0000\"\\\n"}"# + "\n"
        #expect(text == wanted)
    }
}
