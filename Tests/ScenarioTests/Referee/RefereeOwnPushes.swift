import CaretCore
import CaretRooms
import CaretWire

/// The pushes and revisions of a client at the time when it sent a request to read or to open a document.
struct OwnPushes {
    /// The client's unanswered pushes to the document, on the same link.
    var unanswered: [RequestID: Ledger.PushKey] = [:]
    /// The newest revision of each history that the client had received.
    var reported: [WireString: Revision] = [:]
}

/// A read must show the client's own earlier pushes, and no older revision than the client had received.
extension Referee {
    /// What the answer to this request must show; nil if it shows no text.
    func ownPushes(before message: ClientMessage, on link: Link) -> OwnPushes? {
        switch message {
        case .read(let read) where read.moment != .unspecified: return nil
        case .read, .history: break
        // The session gets the acks of earlier pushes.
        case .open: return OwnPushes(reported: reported[link.client])
        default: return nil
        }
        var own = OwnPushes(reported: reported[link.client])
        for (id, awaited) in link.awaited where !awaited.isShared {
            if case .push(let push) = awaited.message, message.sharesDocument(with: awaited.message) {
                own.unanswered[id] = Ledger.PushKey(client: link.client, seq: Int64(push.seq))
            }
        }
        return own
    }

    /// A read need not show a refused push: the client may resend that push after the read.
    func refused(_ push: RequestID, on link: Link) {
        for id in link.awaited.keys { link.awaited[id]?.own?.unanswered[push] = nil }
    }

    func check(_ own: OwnPushes?, shownBy text: WireText, on link: Link) {
        guard let own, let history = ledger[text.epoch] else { return }
        if !areShown(own, in: history, through: text.revision, on: link) {
            fail(
                .ownPushes,
                "client \(link.client) reads \(text.document) at \(text.revision.value) without its own earlier push"
            )
        }
        if text.revision < own.reported[text.epoch] ?? 0 {
            fail(.ownPushes, "client \(link.client) reads an older text than it had received")
        }
    }

    /// Checks that a page of history has the client's own pushes. The page must be from one of these histories.
    func check(
        _ own: OwnPushes?, shownBy page: Revisions, of histories: [Ledger.History], on link: Link
    ) {
        guard let own, !page.hasMore, let last = page.revisions.last?.revision else { return }
        let isShown = histories.contains { history in
            areShown(own, in: history, through: last, on: link) && last >= own.reported[history.epoch] ?? 0
        }
        if !isShown {
            fail(
                .ownPushes, "client \(link.client) reads a history up to \(last.value) without its own pushes"
            )
        }
    }

    /// Rule O6.
    private func areShown(
        _ own: OwnPushes, in history: Ledger.History, through revision: Revision, on link: Link
    ) -> Bool {
        own.unanswered.allSatisfy { id, key in
            let awaited = link.awaited[id]
            if awaited?.isShared == true { return true }
            // Another document may have the name by now, and the server of the push does not know it yet.
            if case .push(let push)? = awaited?.message, let epoch = push.epoch,
                ledger[epoch]?.document != history.document
            {
                return true
            }
            // If the push has no answer, it must at least be committed, and its ack may be on the way.
            if awaited != nil, ledger.commits[key] == nil { return false }
            return history.revisions[key].map { $0 <= revision } ?? true
        }
    }
}
