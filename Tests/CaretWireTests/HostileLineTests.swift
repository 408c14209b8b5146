import CaretWire
import TestSupport
import Testing

/// For each line, the decoder returns a message, or a fault that names a byte of the line. No line traps.
@Suite("Hostile lines from clients") struct HostileLineTests {
    private func clientLines(_ random: inout Seeded) -> [[UInt8]] {
        SampleMessages.client(&random).map { $0.line(id: .number(2)) }
    }

    private func serverLines(_ random: inout Seeded) -> [[UInt8]] {
        SampleMessages.server(&random).map { $0.line(id: .text("two")) }
    }

    @Test("a client message that is cut at any byte is refused as bad JSON")
    func cutClientLines() {
        var decoder = MessageDecoder()
        var random = Seeded(1)
        for line in clientLines(&random) {
            for end in line.indices {
                let fault = refusal(Array(line[..<end]), &decoder)
                #expect(fault?.code == .badJSON)
                // If the cut is inside a scalar or a pair of escapes, the fault is at the beginning of that
                // scalar or pair.
                #expect((fault?.byte ?? 0) >= end - 11 && (fault?.byte ?? .max) <= end)
            }
        }
    }

    @Test("a message with one byte changed is decoded or refused", arguments: [true, false])
    func mutatedLines(ofClient: Bool) {
        var decoder = MessageDecoder()
        var random = Seeded(2)
        let lines = ofClient ? clientLines(&random) : serverLines(&random)
        let special = Array("{}[]\",:\\0-.eutn \u{0}\n".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0xFF]
        for line in lines where line.count < 2000 {
            for index in line.indices {
                var mutant = line
                for byte in special + [line[index] ^ 0x20, line[index] &+ 1, UInt8(random.number(0...255))] {
                    mutant[index] = byte
                    expectAnswer(mutant, &decoder)
                }
            }
        }
    }

    @Test("a message with one byte removed or added is decoded or refused")
    func shiftedLines() {
        var decoder = MessageDecoder()
        var random = Seeded(3)
        for line in clientLines(&random) + serverLines(&random) where line.count < 2000 {
            for index in line.indices {
                expectAnswer(Array(line[..<index] + line[(index + 1)...]), &decoder)
                let extra = random.pick(Array("{}[]\",:\\09-.eu \u{0}".utf8))
                expectAnswer(Array(line[..<index] + [extra] + line[index...]), &decoder)
            }
        }
    }

    @Test("shuffled pieces of messages are decoded or refused")
    func splicedLines() {
        var decoder = MessageDecoder()
        for seed in Seeds.first(Seeds.share(of: 300_000, everyCommit: 3000)) {
            var random = Seeded(seed)
            let pieces =
                Array("{}[]\",:\\".utf8).map { [$0] } + [Array("\\u".utf8), Array("D83D".utf8)]
                + [Array("\"type\":\"push\"".utf8), Array("\"edits\":".utf8), Array("1".utf8)]
            let line = (0..<random.number(0...40)).flatMap { _ in random.pick(pieces) }
            expectAnswer([UInt8(ascii: "{")] + line, &decoder)
        }
    }

    @Test("random bytes are decoded or refused")
    func randomBytes() {
        var decoder = MessageDecoder()
        var random = Seeded(4)
        for _ in 0..<20_000 {
            let line = (0..<random.number(0...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            expectAnswer(line, &decoder)
        }
    }

    @Test("earlier lines do not change how a decoder decodes the next line")
    func decoderIsReused() {
        var used = MessageDecoder()
        var random = Seeded(5)
        let keys = (0..<5000).map { "\"\\u0061\($0)\":[{" }.joined()
        for line in clientLines(&random) {
            _ = refusal(Array("{\(keys)".utf8), &used)
            #expect((try? used.clientMessage(line)) == decoded(line).value)
        }
    }

    private func refusal(_ line: [UInt8], _ decoder: inout MessageDecoder) -> WireFault? {
        do throws(WireFault) {
            _ = try decoder.clientMessage(line)
            return nil
        } catch {
            return error
        }
    }

    private func expectAnswer(_ line: [UInt8], _ decoder: inout MessageDecoder) {
        if let fault = refusal(line, &decoder) { expectSound(fault, line) }
        do throws(WireFault) {
            _ = try decoder.serverMessage(line)
        } catch {
            expectSound(error, line)
        }
    }

    /// Expects a code that the decoder uses, a byte inside the line, and a short message.
    private func expectSound(_ fault: WireFault, _ line: [UInt8]) {
        let codes: [ErrorCode] = [
            .badJSON, .badMessage, .unknownType, .unsupportedProtocol, .badName, .tooLarge,
        ]
        let isSound =
            codes.contains(fault.code) && (0...line.count).contains(fault.byte)
            && !fault.message.isEmpty && fault.message.unicodeScalars.count < 250
        if !isSound { Issue.record("\(fault) of \(line)") }
    }
}
