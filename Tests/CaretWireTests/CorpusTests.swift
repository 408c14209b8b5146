import CaretWire
import Foundation
import Testing

/// Runs the stored inputs of `scripts/fuzz`, without a sanitizer.
@Suite("Decoding and framing of the inputs that `scripts/fuzz` stored") struct CorpusTests {
    private func inputs(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
        let file = WireFixture.folder.appending(path: "../fuzz/\(name).base64")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            (String(line), Array(try #require(Data(base64Encoded: String(line)))))
        }
    }

    @Test("every line is decoded or refused, and a message survives a round trip")
    func messages() throws {
        let inputs = try inputs("messages")
        #expect(inputs.count > 100)
        var decoder = MessageDecoder()
        for input in inputs {
            switch decoded(input.bytes) {
            case .success(let message):
                let again = try decoder.clientMessage(message.message.line(id: message.id))
                #expect(again == message, "\(input.name)")
            case .failure(let fault):
                #expect((0...input.bytes.count).contains(fault.byte), "\(input.name)")
            }
            // Clients check a server's messages as strictly as the server checks a client's.
            guard let message = try? decoder.serverMessage(input.bytes) else { continue }
            let again = try decoder.serverMessage(message.message.line(id: message.id))
            #expect(again == message, "\(input.name)")
        }
    }

    @Test("framing does not depend on how bytes are split into pieces")
    func lines() throws {
        let inputs = try inputs("lines")
        #expect(!inputs.isEmpty)
        for input in inputs where input.bytes.count > 2 {
            let limit = Int(input.bytes[0]) + 1
            let bytes = Array(input.bytes[2...])
            #expect(
                frame(bytes, limit, pieces: bytes.count) == frame(bytes, limit, pieces: 1), "\(input.name)")
        }
    }

    private func frame(_ bytes: [UInt8], _ limit: Int, pieces size: Int) -> [[UInt8]] {
        var framer = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in
                var rest = piece
                while case .line(let line) = framer.next(of: &rest, Array.init) { lines.append(line) }
            }
        }
        return lines
    }
}
