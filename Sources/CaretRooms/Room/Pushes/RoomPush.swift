package import CaretCore
package import CaretLog
package import CaretWire

/// A push as it reaches a room.
package struct RoomPush: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case edits([WireEdit])
        /// A whole text as it was sent, line breaks and all.
        case text(WireString)
        /// The text at the base is to be the document's again.
        case restore
    }

    /// Who is to be answered; it need not have the document open.
    package var session: SessionID
    package var id: RequestID?
    /// What he calls the document.
    package let document: WireString
    package let participant: Participant
    /// What he may do with the document as it is now.
    package var rights: Rights
    /// The epoch that the push names.
    package let epoch: WireString?
    package var base: Revision
    package let seq: Int64
    package var content: Content
    package var wantsText: Bool
    /// The document was made for this push.
    package var isFirst: Bool
    /// Of the content, by which a repeat is known.
    package let digest: Digest
    /// When it came, in milliseconds.
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

    /// An ack needs no edits where these are they.
    var edits: [WireEdit]? {
        guard case .edits(let edits) = content else { return nil }
        return edits
    }

    var pusher: Pusher { participant.pusher }
}
