import CaretCore
import CaretReplica
import CaretWire
import Foundation

/// A replica in a published conversation. Its inputs and outputs are JSON, as in the files.
struct ConversationRun {
    typealias JSON = [String: Any]

    /// The result of a step.
    struct Outcome {
        var lines: [Any] = []
        /// The changes of the view that the user did not make.
        var view = Change()
        var retryAfter: Int?
    }

    private var replica = Replica()
    private var document: WireString = "notes"
    private var decoder = MessageDecoder()

    /// The events of the files. Each step has exactly one of them.
    static let events: Set = [
        "connect", "cut", "restart", "wait", "type", "select", "retry", "discard", "in",
    ]

    /// Runs a step.
    mutating func happen(_ step: JSON) throws -> Outcome {
        var outcome = Outcome()
        for action in try actions(of: step) { try note(action, in: &outcome) }
        try replica.checkInvariants()
        return outcome
    }

    private mutating func actions(of step: JSON) throws -> [ReplicaAction] {
        if let edits = step["type"] as? [JSON] {
            return try replica.typed(Change(edits.map(Edit.init(json:))))
        }
        if let line = step["in"] as? JSON { return try receive(line) }
        if let selections = step["select"] as? [[Int]] {
            return try replica.selected(
                selections.map { Selection(anchor: Offset($0[0]), head: Offset($0[1])) })
        }
        if step["connect"] != nil { return replica.connected() }
        if step["cut"] != nil { return replica.disconnected() }
        if step["wait"] != nil { return replica.timePassed() }
        if step["retry"] != nil { return replica.retry() }
        if step["discard"] != nil { return replica.discard() }
        // All other events were handled above, so this event is a restart.
        replica =
            try replica.savedReplica.map { savedReplica throws(ChangeError) in try Replica(savedReplica) }
            ?? Replica()
        return []
    }

    private mutating func receive(_ line: JSON) throws -> [ReplicaAction] {
        let bytes = try JSONSerialization.data(withJSONObject: line)
        guard let message = try decoder.serverMessage(Array(bytes))?.message else {
            throw Fault(description: "unknown type in \(line)")
        }
        // In these files, an error without a `seq` answers an open.
        if case .error(let error) = message, error.seq == nil { return replica.openRefused(error) }
        return try replica.received(message)
    }

    private mutating func note(_ action: ReplicaAction, in outcome: inout Outcome) throws {
        switch action {
        case .open(let position, _):
            outcome.lines.append(try json(.open(Open(document: document, resume: position))))
        case .close: outcome.lines.append(try json(.close(Close(document: document))))
        case .push(let push): outcome.lines.append(try json(.push(push.message(to: document))))
        case .select(let revision, let selections):
            let selections = selections.map { WireSelection($0) }
            let select = Select(document: document, revision: revision, selections: selections)
            outcome.lines.append(try json(.select(select)))
        case .reportDivergence(let revision):
            outcome.lines.append(try json(.diverged(Diverged(document: document, revision: revision))))
        case .retry(let time): outcome.retryAfter = time.value
        case .edit(let change): outcome.view = try outcome.view.composed(with: change)
        case .rename(let name): document = name
        // The peers and the saving state are not noted here, because `state` contains them.
        case .showPeers, .show: break
        }
    }

    private func json(_ message: ClientMessage) throws -> Any {
        var writer = JSONWriter()
        message.encode(into: &writer)
        return try JSONSerialization.jsonObject(with: Data(writer.bytes))
    }

    /// The state of the client, with the fields that the files use.
    var state: JSON {
        [
            "text": replica.text.string, "committed": replica.committed.string,
            "position": replica.position.map { ["epoch": $0.epoch.string, "rev": $0.revision.value] as JSON }
                ?? NSNull(),
            "inFlight": replica.draft.inFlight.json, "unsent": replica.draft.unsent.json,
            "selections": replica.selections.map { [$0.anchor.value, $0.head.value] },
            "peers": replica.peers.map { peer in
                [
                    "session": peer.session.string,
                    "selections": peer.selections.map { [$0.anchor.value, $0.head.value] },
                ] as JSON
            },
            "saving": saving.word, "refused": saving.code ?? NSNull(),
        ]
    }

    private var saving: (word: String, code: Any?) {
        switch replica.state {
        case .opening: ("opening", nil)
        case .saved: ("saved", nil)
        case .sending: ("sending", nil)
        case .offline: ("offline", nil)
        case .refused(let refusal):
            ("refused", ErrorCode.allCases.first { Refusal(.known($0)) == refusal }?.rawValue)
        }
    }
}

extension Change {
    /// The edits in the form of the wire.
    var json: [ConversationRun.JSON] {
        edits.map { ["range": [$0.range.lowerBound.value, $0.range.upperBound.value], "text": $0.text] }
    }
}

extension Edit {
    fileprivate init(json: ConversationRun.JSON) throws {
        guard let range = json["range"] as? [Int], range.count == 2, let text = json["text"] as? String else {
            throw Fault(description: "\(json) is not an edit")
        }
        try self.init(Offset(range[0])..<Offset(range[1]), text)
    }
}
