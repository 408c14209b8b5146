import CaretCore
import CaretRooms
package import CaretWire

/// Writes lines as events of an event stream (`text/event-stream`).
package enum EventWriter {
    /// How the lines of one session become events. Sessions with the same form share the events.
    package struct Form: Equatable, Sendable {
        /// The epoch before the lines. A version in an event's id begins with the epoch; nil if the events
        /// have no ids.
        package var epoch: WireString?
        /// Whether carets and selections of others become events.
        let hasPeers: Bool

        package init(epoch: WireString?, hasPeers: Bool) {
            self.epoch = epoch
            self.hasPeers = hasPeers
        }
    }

    /// A comment. Clients ignore it, but it shows that the connection works.
    static let comment = Array(":\n\n".utf8)

    /// The events of these lines, and the epoch after them. A ping becomes a comment.
    package static func events(
        of lines: [UInt8], as form: Form, _ decoder: inout MessageDecoder
    ) -> (bytes: [UInt8], epoch: WireString?) {
        var (bytes, epoch) = ([UInt8](), form.epoch)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            // The server made this line itself, so decoding fails only for an unknown message type.
            guard let message = try? decoder.serverMessage(Array(line))?.message else { continue }
            if case .ping = message {
                bytes += comment
                continue
            }
            if case .peer = message, !form.hasPeers { continue }
            bytes += start(of: message, in: &epoch) + line + end
        }
        return (bytes, epoch)
    }

    /// The event of a line with a long text: what comes before the text and after it, and the epoch after the event.
    static func event(
        around line: TextLine, as form: Form
    ) -> (before: [UInt8], after: [UInt8], epoch: WireString?) {
        var epoch = form.epoch
        let before = start(of: line.shell, in: &epoch) + line.before
        return (before, Array(line.after.dropLast()) + end, epoch)
    }

    private static let end = Array("\n\n".utf8)

    /// What an event has before its line.
    private static func start(of message: ServerMessage, in epoch: inout WireString?) -> [UInt8] {
        let id = version(of: message, in: &epoch).map { "id: \($0)\n" } ?? ""
        return Array("\(id)data: ".utf8)
    }

    /// The version of the text after a message; nil if the message does not have a new version.
    private static func version(of message: ServerMessage, in epoch: inout WireString?) -> String? {
        guard let known = epoch else { return nil }
        switch message {
        case .opened(let opened):
            epoch = opened.epoch
            return "\(opened.epoch)/\(opened.revision.value)"
        case .resync(let resync):
            epoch = resync.epoch
            return "\(resync.epoch)/\(resync.revision.value)"
        case .change(let change): return "\(known)/\(change.revision.value)"
        default: return nil
        }
    }
}
