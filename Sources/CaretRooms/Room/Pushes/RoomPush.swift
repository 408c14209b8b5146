package import CaretCore
package import CaretLog
package import CaretWire

/// A push as it reaches a room.
package struct RoomPush: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case edits([WireEdit])
        /// A whole text as sent, with its line breaks.
        case text(WireString)
        /// The document's text becomes that of the base again.
        case restore
    }

    /// Who gets the answer. They need not have the document open.
    package var session: SessionID
    package var id: RequestID?
    /// The name that they use for the document.
    package let document: WireString
    package let participant: Participant
    /// What they may do with the document now.
    package var rights: Rights
    /// The epoch in the push.
    package let epoch: WireString?
    package var base: Revision
    package let seq: Int64
    package var content: Content
    package var wantsText: Bool
    /// The document was created for this push.
    package var isFirst: Bool
    /// A digest of the content, which recognises a repeat.
    package let digest: Digest
    /// When it arrived, in milliseconds.
    package let time: Int64

    package init(
        session: SessionID, id: RequestID?, document: WireString, participant: Participant, rights: Rights,
        epoch: WireString?, base: Revision, seq: Int64, content: Content, wantsText: Bool = false,
        isFirst: Bool = false, digest: Digest, time: Int64
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
        self.isFirst = isFirst
        self.digest = digest
        self.time = time
    }

    /// An ack needs no edits if they are these.
    var edits: [WireEdit]? {
        guard case .edits(let edits) = content else { return nil }
        return edits
    }

    var pusher: Pusher { participant.pusher }
}
