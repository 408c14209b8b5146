import CaretCore
import CaretLog
import CaretWire

/// The encoding of the document's whole text, if it is long, and the openings that wait for it.
///
/// A text of more than `Limits.textEncodedAtOnce` bytes is encoded beside the room. Meanwhile the document may change:
/// the sessions get the text of the encoded revision, and then the changes after it.
package struct LongTexts: Sendable {
    private var encoding: TextVersion?
    private var waiting: [RoomOpening] = []
    /// The text that was encoded last, until the sessions were served with it.
    private(set) var encoded: (version: TextVersion, text: EncodedText)?

    /// Whether no opening waits.
    var isIdle: Bool { waiting.isEmpty }
    var isEncoding: Bool { encoding != nil }

    mutating func begin(_ version: TextVersion) { encoding = version }

    mutating func wait(_ opening: RoomOpening) { waiting.append(opening) }

    /// Notes an encoded text. Returns the openings that waited for it; nil if another text is awaited by now.
    mutating func note(_ version: TextVersion, _ text: EncodedText) -> [RoomOpening]? {
        if encoding != version { return nil }
        (encoding, encoded) = (nil, (version, text))
        return takeWaiting()
    }

    mutating func takeWaiting() -> [RoomOpening] {
        defer { waiting = [] }
        return waiting
    }

    /// Forgets the encoded text, because it takes much memory.
    mutating func forget() { encoded = nil }

    /// Removes the opening of a session. Returns it if there is one.
    mutating func remove(_ session: SessionID) -> RoomOpening? {
        waiting.firstIndex { $0.session == session }.map { waiting.remove(at: $0) }
    }

    mutating func setRights(_ rights: Rights, of session: SessionID) {
        for index in waiting.indices where waiting[index].session == session {
            waiting[index].rights = rights
        }
    }
}

/// The whole text of a document, as a message contains it.
enum WholeText {
    /// The text at the head, in the message itself.
    case short(WireString)
    /// The text of this revision, as a piece of its own.
    case long(EncodedText, at: Revision)
}

extension RoomState {
    /// The text for a session of this pusher. If the text is long and not encoded yet, begins to encode it, and returns
    /// nil: `encoded` will come.
    mutating func wholeText(for pusher: Pusher) -> WholeText? {
        if textBytes <= limits.textEncodedAtOnce { return .short(WireString(text.string)) }
        if let (version, encoded) = longTexts.encoded, isUsable(version, for: pusher) {
            return .long(encoded, at: version.revision)
        }
        if !longTexts.isEncoding {
            let version = TextVersion(
                document: log.document, epoch: log.epochName, revision: head, lineBreak: log.lineBreak)
            longTexts.begin(version)
            effects.add(.encode(text, version))
        }
        return nil
    }

    /// Whether a session can continue from this version. The message names the newest push of the pusher, so the text
    /// must contain that push.
    private func isUsable(_ version: TextVersion, for pusher: Pusher) -> Bool {
        version.epoch == log.epochName && version.revision <= head
            && version.revision >= log.window.start.revision
            && own(of: pusher)?.revision ?? 0 <= version.revision
    }

    /// Makes an opening wait for the text. The room remembers its pusher meanwhile.
    mutating func waitForText(_ opening: RoomOpening) {
        pushers.retain(opening.participant.pusher)
        longTexts.wait(opening)
    }

    mutating func encoded(_ version: TextVersion, _ text: EncodedText) {
        if closedWith != nil { return }
        guard let openings = longTexts.note(version, text) else { return }
        for opening in openings {
            let isKnown = pushers.isKnown(opening.participant.pusher)
            submit(.open(opening), isLookedUp: isKnown)
            pushers.release(opening.participant.pusher)
        }
        sessions.needDelivery()
    }

    /// Refuses the openings that wait for the text.
    mutating func refuseWaitingOpenings(_ refusal: RequestRefusal) {
        for opening in longTexts.takeWaiting() {
            refuse(opening, refusal)
            pushers.release(opening.participant.pusher)
        }
    }

    /// The connection of a session has ended, so the session no longer waits for a long text.
    mutating func dropWaitingOpening(of session: SessionID) {
        if let opening = longTexts.remove(session) { pushers.release(opening.participant.pusher) }
    }
}
