package import CaretCore
package import CaretLog
package import CaretWire

/// A push, as a room receives it.
package struct RoomPush: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case edits([WireEdit])
        /// A whole text as sent, with its line breaks.
        case text(WireString)
        /// The document gets the text of the base again.
        case restore
    }

    /// The session that gets the answer. If the connection does not have the document open, this is its
    /// `sessionless` id.
    package var session: SessionID
    package var id: RequestID?
    /// The document's name, as the client wrote it.
    package let document: WireString
    package let participant: Participant
    /// The participant's current rights on the document.
    package var rights: Rights
    /// The epoch that the client sent.
    package let epoch: WireString?
    package var base: Revision
    package let seq: Int64
    package var content: Content
    package var wantsText: Bool
    /// Whether the push is refused, instead of rebased, if its base is not the head.
    package let isExact: Bool
    /// A digest of the content, by which a repeat is recognised.
    package let digest: Digest
    /// Whether the server has just generated the client's ID, and this is the client's first push. The store has none.
    package let isOfNewClient: Bool
    /// When the push arrived, in milliseconds.
    package let time: Int64

    package init(
        session: SessionID, id: RequestID?, document: WireString, participant: Participant, rights: Rights,
        epoch: WireString?, base: Revision, seq: Int64, content: Content, wantsText: Bool = false,
        isExact: Bool = false, digest: Digest, isOfNewClient: Bool = false, time: Int64
    ) {
        self.session = session
        self.id = id
        self.document = document
        self.participant = participant
        self.rights = rights
        self.epoch = epoch
        self.base = base
        self.seq = seq
        self.content = content
        self.wantsText = wantsText
        self.isExact = isExact
        self.digest = digest
        self.isOfNewClient = isOfNewClient
        self.time = time
    }

    /// The pushed edits; nil for a whole text or a restore. An ack leaves out edits that equal these.
    var edits: [WireEdit]? {
        guard case .edits(let edits) = content else { return nil }
        return edits
    }

    var pusher: Pusher { participant.pusher }

    /// Whether the server must read the document's whole text to merge it, or answers with the whole text.
    package var needsWholeText: Bool { wantsText || edits == nil }
}
