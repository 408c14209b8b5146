import CaretCore
import CaretRooms
import CaretWire

/// What a client had pushed when it asked to read.
struct OwnPushes {
    /// Its pushes of the document on the same link that no answer had come to.
    var unanswered: [RequestID: Ledger.PushKey] = [:]
    /// The newest revisions that it had been told of.
    var told: [WireString: Revision] = [:]
}

/// Whoever reads is shown what it has pushed before, and all that it knows.
extension Referee {
    /// What a reading that is sent now must show.
    func ownPushes(before message: ClientMessage, on link: Link) -> OwnPushes? {
        switch message {
        case .read(let read) where read.moment != .unsaid: return nil
        case .read, .history: break
        default: return nil
        }
        var own = OwnPushes(told: told[link.client])
        for (id, awaited) in link.awaited where !awaited.isShared {
            if case .push(let push) = awaited.message, message.sharesDocument(with: awaited.message) {
                own.unanswered[id] = Ledger.PushKey(client: link.client, seq: Int64(push.seq))
            }
        }
        return own
    }

    /// A refused push may be sent again behind the reading.
    func refused(_ push: RequestID, on link: Link) {
        for id in link.awaited.keys { link.awaited[id]?.own?.unanswered[push] = nil }
    }

    func check(_ own: OwnPushes?, shownBy text: WireText, on link: Link) {
        guard let own, let history = ledger[text.epoch] else { return }
        if !areShown(own, in: history, through: text.revision, on: link) {
            fail(
                .own,
                "client \(link.client) reads revision \(text.revision.value) of \(text.document), without a push of its own"
            )
        }
        if text.revision < own.told[text.epoch] ?? 0 {
            fail(.own, "client \(link.client) reads an older text than it was told of")
        }
    }

    /// The page is that of one of these histories.
    func check(
        _ own: OwnPushes?, shownBy page: Revisions, of histories: [Ledger.History], on link: Link
    ) {
        guard let own, !page.hasMore, let last = page.revisions.last?.revision else { return }
        let isShown = histories.contains { history in
            areShown(own, in: history, through: last, on: link) && last >= own.told[history.epoch] ?? 0
        }
        if !isShown {
            fail(
                .own, "client \(link.client) is told a history through \(last.value), without its own pushes")
        }
    }

    /// Rule O6.
    private func areShown(
        _ own: OwnPushes, in history: Ledger.History, through revision: Revision, on link: Link
    ) -> Bool {
        own.unanswered.allSatisfy { id, key in
            let awaited = link.awaited[id]
            if awaited?.isShared == true { return true }
            // It is settled by now: its answer has come, or is an ack on its way.
            if awaited != nil, ledger.commits[key] == nil { return false }
            return history.revisions[key].map { $0 <= revision } ?? true
        }
    }
}
