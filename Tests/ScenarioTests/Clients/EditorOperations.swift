import CaretCore
import CaretReplica
import CaretWire

/// Undo, refusals, wrong checks and restarts of the program.
extension Editor {
    func undo(_ at: Int, _ body: (inout Replica) -> [ReplicaAction]) {
        change(at, .undone) { document in
            let before = document.replica
            let actions = body(&document.replica)
            for case .edit(let change) in actions {
                if !Markers.found(in: change).isEmpty {
                    // Drops an undo that inserts a marker again. If two clients inserted the same marker, it
                    // would seem committed twice.
                    document.replica = before
                    document.replica.undoHistory = UndoHistory()
                    return []
                }
                note(change, in: before.text, &document)
                world.referee.counts.undos += 1
            }
            return actions
        }
    }

    /// A push in this history whose outcome the client does not know, so that it must resend the push.
    func pushInFlight(in epoch: WireString) -> Push? {
        for document in documents {
            guard let document, let push = document.pushed, push.epoch == epoch,
                push.seq != document.refusedSeq,
                document.replica.inFlight?.outcome == .unknown,
                document.replica.inFlight?.push.seq.value == Int64(push.seq),
                world.referee.copies(of: key(of: push), in: push.epoch) > 0
            else { continue }
            return push
        }
        return nil
    }

    private func key(of push: Push) -> Ledger.PushKey {
        Ledger.PushKey(client: machine.index, seq: Int64(push.seq))
    }

    /// Simulates a refusal by the server. The push is never sent, so it is not committed.
    func refusePush(by code: ErrorCode, _ document: inout EditorDocument, _ at: Int) {
        guard let link = machine.link, let push = document.pushed else { return }
        document.nextRefusal = nil
        document.refusedSeq = push.seq
        let error = ErrorReport(code, "refused by the plan", document: push.document, seq: push.seq)
        world.after(world.dice.delay(.link, 2 * link.number + 1, at: world.now)) { [unowned self] in
            guard link === machine.link, documents[at]?.refusedSeq == push.seq else { return }
            documents[at]?.refusedSeq = nil
            change(at, .received(.error(error))) { receive(.error(error), &$0) }
        }
    }

    /// Simulates a check that does not match the client's text.
    func receiveWrongCheck(_ at: Int) {
        change(at) { document in
            guard document.replica.link == .open else { return [] }
            document.handlesWrongCheck = true
            world.referee.counts.wrongChecks += 1
            let check = Check(
                document: document.name, revision: document.replica.revision, length: -1, crc32: 0)
            return receive(.check(check), &document)
        }
    }

    /// The program ends, and starts again with its saved replicas.
    func reload() {
        if let link = machine.link { machine.linkBroke(link) }
        for at in documents.indices { if let document = documents[at] { documents[at] = reloaded(document) } }
    }

    private func reloaded(_ old: EditorDocument) -> EditorDocument {
        var document = old
        guard let kept = old.replica.savedReplica else {
            document.resume(with: Replica(firstSeq: old.replica.nextSeq, mode: mode))
            return document
        }
        guard let replica = try? Replica(kept) else {
            world.fail(.client, "client \(machine.index) cannot load its saved replica")
            return document
        }
        if replica.text != old.replica.text {
            world.fail(.client, "the saved replica of client \(machine.index) has another text")
        }
        world.referee.counts.reloads += 1
        document.resume(with: replica)
        return document
    }
}
