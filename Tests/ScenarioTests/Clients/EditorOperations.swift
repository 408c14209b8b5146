import CaretCore
import CaretReplica
import CaretWire

/// Undo, refusals, wrong checks and restarts of the program.
extension Editor {
    func undo(_ at: Int, _ body: (inout Replica) -> [ReplicaAction]) {
        change(at, .undone) { sheet in
            let before = sheet.replica
            let actions = body(&sheet.replica)
            for case .edit(let change) in actions {
                if !Markers.found(in: change).isEmpty {
                    // Drops an undo that inserts a marker. If two clients did that, the marker would seem
                    // committed twice.
                    sheet.replica = before
                    sheet.replica.undoHistory = UndoHistory()
                    return []
                }
                note(change, in: before.text, &sheet)
                world.referee.counts.undos += 1
            }
            return actions
        }
    }

    /// A push in this history whose outcome the client does not know, so that it must resend the push.
    func pushInFlight(in epoch: WireString) -> Push? {
        for sheet in sheets {
            guard let sheet, let push = sheet.pushed, push.epoch == epoch, push.seq != sheet.refusedSeq,
                sheet.replica.inFlight?.outcome == .unknown,
                sheet.replica.inFlight?.push.seq.value == Int64(push.seq),
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
    func refusePush(by code: ErrorCode, _ sheet: inout EditorDocument, _ at: Int) {
        guard let link = machine.link, let push = sheet.pushed else { return }
        sheet.nextRefusal = nil
        sheet.refusedSeq = push.seq
        let error = ErrorReport(code, "refused by the plan", document: push.document, seq: push.seq)
        world.after(world.dice.delay(.link, 2 * link.number + 1, at: world.now)) { [unowned self] in
            guard link === machine.link, sheets[at]?.refusedSeq == push.seq else { return }
            sheets[at]?.refusedSeq = nil
            change(at, .received(.error(error))) { receive(.error(error), &$0) }
        }
    }

    /// Simulates a check that does not match the client's text.
    func receiveWrongCheck(_ at: Int) {
        change(at) { sheet in
            guard sheet.replica.link == .open else { return [] }
            sheet.handlesWrongCheck = true
            world.referee.counts.wrongChecks += 1
            let check = Check(
                document: sheet.name, revision: sheet.replica.revision, length: -1, crc32: 0)
            return receive(.check(check), &sheet)
        }
    }

    /// The program ends, and starts again with its saved replicas.
    func reload() {
        if let link = machine.link { machine.linkBroke(link) }
        for at in sheets.indices { if let sheet = sheets[at] { sheets[at] = reloaded(sheet) } }
    }

    private func reloaded(_ old: EditorDocument) -> EditorDocument {
        var sheet = old
        guard let kept = old.replica.savedReplica else {
            sheet.resume(with: Replica(firstSeq: old.replica.nextSeq, mode: mode))
            return sheet
        }
        guard let replica = try? Replica(kept) else {
            world.fail(.client, "client \(machine.index) cannot load its saved replica")
            return sheet
        }
        if replica.text != old.replica.text {
            world.fail(.client, "the saved replica of client \(machine.index) has another text")
        }
        world.referee.counts.reloads += 1
        sheet.resume(with: replica)
        return sheet
    }
}
