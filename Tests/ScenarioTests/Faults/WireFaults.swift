import CaretCore
import CaretWire

/// A write sent a whole line but reported that it sent nothing, so the line is sent again.
final class LineSentTwice: PlantedFault {
    private var changes = 0

    override func lines(_ line: [UInt8]) -> [[UInt8]] {
        guard line.starts(with: Array("{\"type\":\"change\"".utf8)) else { return [line] }
        changes += 1
        return changes % 10 == 0 ? [line, line] : [line]
    }
}

/// An ack loses the id of its request.
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

/// The client does not rebase edits that were typed while a push was in flight. It sends them unchanged, with
/// its newest revision as the base.
final class UnsentNotRebased: PlantedFault {
    override func change(_ change: Change, unrebasedEdits: Change?) -> Change { unrebasedEdits ?? change }
}
