import CaretWeb
import Testing

@Suite("Writing frames of a WebSocket") struct FrameWriterTests {
    @Test(
        "a line becomes one message with the shortest header and no line end",
        arguments: [
            (0, [0x81, 0]), (1, [0x81, 1]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]),
            (65_535, [0x81, 126, 0xFF, 0xFF]), (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func lengths(count: Int, header: [UInt8]) {
        let content = [UInt8](repeating: 0x61, count: count)
        #expect(FrameWriter.messages(of: content + [0x0A]) == header + content)
        #expect(FrameWriter.byteCount(ofMessages: content + [0x0A]) == header.count + count)
    }

    @Test("several lines become several messages")
    func severalLines() {
        let frames = FrameWriter.messages(of: Array("{}\n[1]\n".utf8))
        #expect(frames == [0x81, 2] + Array("{}".utf8) + [0x81, 3] + Array("[1]".utf8))
        #expect(FrameWriter.byteCount(ofMessages: Array("{}\n[1]\n".utf8)) == frames.count)
    }
}
