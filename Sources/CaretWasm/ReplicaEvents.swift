import CaretCore
import CaretReplica
import CaretWire

/// The first number of an event. The comments name the parts that follow.
enum EventKind: Int32 {
    /// The pause since the user's last change in milliseconds, or -1: number; change.
    case typed = 0
    /// The pause as above; the whole new text: string. The first action is the `edit` with the difference.
    case replaced = 1
    /// Selections.
    case selected = 2
    case undo = 3
    case redo = 4
    case retry = 5
    case discard = 6
    case connected = 7
    case disconnected = 8
    case timePassed = 9
    /// The refusal: its index in `Refusal.numbered`; the delay in milliseconds, or -1: number.
    case openRefused = 10
    /// As `openRefused`; the seq.
    case pushRefused = 11
    /// Epoch: string; revision: number; flag: whether there is a text; the text: string; rights: number; own;
    /// the number of peers; for each peer its session: string, and selections.
    case opened = 12
    /// Revision: number; the revision before a squashed change, or -1: number; change.
    case change = 13
    /// Seq; revision: number; flags `unchanged` and `duplicate`; flag: whether there are edits; change.
    case ack = 14
    /// Revision, length and checksum: numbers.
    case check = 15
    /// Session: string; flag: whether the peer selected something. If so, revision: number; selections.
    case peer = 16
    /// Epoch: string; revision: number; text: string; own.
    case resync = 17
    /// The rights: number.
    case rights = 18
    /// The reason: number; flag: whether there is a new name; the new name: string.
    case gone = 19
}

extension Reader {
    /// Reads an event, and passes it to the replica. If this throws, the replica is unchanged.
    mutating func passEvent(to replica: inout Replica) throws(Refusal) -> [ReplicaAction] {
        guard let kind = EventKind(rawValue: try number()) else { throw malformed }
        switch kind {
        case .typed:
            let (pause, change) = (try milliseconds(), try change())
            try finish()
            return try type(change, after: pause, in: &replica)
        case .replaced:
            let (pause, text) = (try milliseconds(), try text())
            try finish()
            let change = diff(from: replica.text, to: text)
            let actions = try type(change, after: pause, in: &replica)
            return [.edit(change)] + actions
        case .selected:
            let selections = try selections()
            try finish()
            do throws(TextError) {
                return try replica.selected(selections)
            } catch {
                throw Refusal(error)
            }
        case .openRefused, .pushRefused, .opened, .change, .ack, .check, .peer, .resync, .rights, .gone:
            return try passMessage(kind, to: &replica)
        case .undo, .redo, .retry, .discard, .connected, .disconnected, .timePassed:
            try finish()
            return pass(kind, to: &replica)
        }
    }

    private func type(
        _ change: Change, after pause: Milliseconds?, in replica: inout Replica
    ) throws(Refusal) -> [ReplicaAction] {
        do throws(ChangeError) {
            return try replica.typed(change, after: pause)
        } catch {
            throw Refusal(error)
        }
    }

    /// Passes an event that consists only of its number.
    private func pass(_ kind: EventKind, to replica: inout Replica) -> [ReplicaAction] {
        switch kind {
        case .undo: replica.undo()
        case .redo: replica.redo()
        case .retry: replica.retry()
        case .discard: replica.discard()
        case .connected: replica.connected()
        case .disconnected: replica.disconnected()
        case .timePassed: replica.timePassed()
        case .typed, .replaced, .selected, .openRefused, .pushRefused, .opened, .change, .ack, .check, .peer,
            .resync, .rights, .gone:
            []
        }
    }

    mutating func text() throws(Refusal) -> TextBuffer {
        let bytes = try block()
        do throws(TextError) {
            return try TextBuffer(validating: bytes)
        } catch {
            throw Refusal(error)
        }
    }
}
