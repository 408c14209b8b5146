import CaretCore
import CaretWire

/// A write that took all of a line and said that it took none: the line goes out again.
final class LineSentTwice: PlantedFault {
    private var changes = 0

    override func lines(_ line: [UInt8]) -> [[UInt8]] {
        guard line.starts(with: Array("{\"type\":\"change\"".utf8)) else { return [line] }
        changes += 1
        return changes % 10 == 0 ? [line, line] : [line]
    }
}

/// An answer that goes out by the way of the stream loses the id of its request.
final class AckWithoutID: PlantedFault {
    private var decoder = MessageDecoder()

    override func lines(_ line: [UInt8]) -> [[UInt8]] {
        guard line.starts(with: Array("{\"type\":\"ack\"".utf8)),
            let envelope = try? decoder.serverMessage(Array(line.dropLast()))
        else { return [line] }
        var writer = JSONWriter()
        envelope.message.encode(into: &writer)
        return [writer.bytes]
    }
}

/// A client that sends what was typed behind a push in flight as it was typed, at the revision it knows by then.
final class UnsentNotRebased: PlantedFault {
    override func change(_ change: Change, unmoved: Change?) -> Change { unmoved ?? change }
}
