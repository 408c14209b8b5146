/// A law of several servers over one store, and the deliberate faults that break it.
///
/// docs/architecture.md has a table that is made from this file: see `LawTableTests`.
struct PeerLaw {
    let law: String
    let faults: [Faults.Named]

    init(_ law: String, _ faults: [Faults.Named]) { (self.law, self.faults) = (law, faults) }

    static let all = [
        // What is in the log.
        PeerLaw(
            "a room reads what other servers commit, at the latest after a sweep",
            [
                ("a room ignores hints and sweeps", { HintsIgnored() }),
                ("sweeps never show a newer head, and rooms ignore hints", { FirstHeadKept() }),
            ]),
        PeerLaw(
            "an append succeeds only at the head that it expects",
            [("the store does not compare the expected head", { ConflictIgnored() })]),
        PeerLaw(
            "an append under the store's lock returns the revisions that it was rebased over",
            [("the answer lacks these revisions", { MissedChangesLost() })]),
        PeerLaw(
            "a room uses the store's lock only while it misses changes",
            [("a room that has used the lock never stops using it", { LockWithoutEnd() })]),
        PeerLaw(
            "a lookup or a read shows all commits that any server has acked",
            [
                (
                    "lookups of pushers come from a copy of the store that lags behind",
                    { LookupInLaggingCopy() }
                ),
                ("revisions come from a copy of the store that lags behind", { ReadFromLaggingCopy() }),
            ]),

        // What is known of pushers.
        PeerLaw(
            "a room uses an answer about a pusher only once it has reached the head of the answer",
            [("a room does not wait for the head of the answer", { HeadOfLookupIgnored() })]),
        PeerLaw(
            "each open looks up its pusher, because the client may have been at another server",
            [
                ("a room answers an open from what it knows", { OpenNotLookedUp() }),
                ("the store answers what it has answered first", { PusherKept() }),
            ]),
        PeerLaw(
            "a base beyond the head is refused only after a lookup",
            [("a room looks up no pusher of such a push", { BaseNotLookedUp() })]),

        // Names, deletions, and missed notifications.
        PeerLaw(
            "rooms and followers learn of a new name and of a deletion, at the latest after a sweep",
            [("a comparison with the store never shows a new name or a deletion", { FirstEntryKept() })]),
        PeerLaw(
            "a server that has missed notifications compares everything with the store",
            [("a server does not notice that it has missed notifications", { MissedIgnored() })]),

        // What is sent to whom.
        PeerLaw(
            "a server gets the news of each document that it has open, for as long as it is open",
            [
                ("a server does not tell the others which documents it has open", { NeedNotTold() }),
                ("a server tells that it needs no news of a document that is open", { NeedEndedEarly() }),
                ("news from before a server was known to need them are not sent", { EarlierNewsForgotten() }),
            ]),

        // Remote sessions.
        PeerLaw(
            "a room publishes what its sessions select, with the revision in which it counts",
            [
                ("a selection is not published", { SelectionNotPublished() }),
                (
                    "a selection is published with the revision before its own",
                    { SelectionPublishedTooEarly() }
                ),
            ]),
        PeerLaw(
            "a room always publishes departures",
            [("a departure is not published while no other server is known", { DepartureNotPublished() })]),
        PeerLaw(
            "servers publish their sessions to a server that is found, and to a room that asks",
            [
                ("a server that is found is not sent the sessions", { FoundServerIgnored() }),
                ("a room does not ask", { RosterNotAsked() }),
            ]),
        PeerLaw(
            "a selection at a later revision waits until the room has read this revision",
            [("it is shown at once", { EarlySelectionShown() })]),
        PeerLaw(
            "a room moves remote selections with each change",
            [("remote selections are not moved", { RemoteSelectionsNotMoved() })]),
        PeerLaw(
            "a client with a session here has no remote session",
            [("a room shows the session that the client has at another server", { ClientShownTwice() })]),
        PeerLaw(
            "a remote session leaves if its server has ended, or does not publish it again after missed notifications",
            [("a room keeps it", { LostSessionKept() })]),
    ]
}
