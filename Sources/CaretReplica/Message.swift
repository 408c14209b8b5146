public import CaretCore

/// What the server says about the document, as far as a replica needs it.
///
/// Nothing in it is taken on trust: a message that does not fit leads to opening the document again.
public enum Message: Equatable, Sendable {
    /// The answer to an open. Of several opens only the answer to the last one is passed in.
    case opened(Opened)
    /// The server would not open the document: the other answer to an open.
    case openRefused(Refusal, retryAfter: Milliseconds?)
    case acked(Ack)
    /// The push of this number was not committed, or not now.
    case pushRefused(Seq, Refusal, retryAfter: Milliseconds?)
    case changed(CommittedChange)
    /// What the text at this revision must be like.
    case checked(Revision, TextCheck)
    case resynced(Resync)
    case peer(Peer, at: Revision)
    case left(SessionID)
    case rights(Rights)
    case gone(Departure)
    /// The server ends the connection.
    case bye
}

public struct Opened: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        /// The stream goes on from the revision that was asked for.
        case resumed
        case text(Text)
    }

    public let place: Place
    public let content: Content
    public let rights: Rights
    public let own: OwnPush?
    public let peers: [Peer]

    public init(place: Place, content: Content, rights: Rights, own: OwnPush?, peers: [Peer]) {
        self.place = place
        self.content = content
        self.rights = rights
        self.own = own
        self.peers = peers
    }
}

/// The receiver's highest committed push, as the server knows it.
public struct OwnPush: Equatable, Sendable {
    public let seq: Seq
    public let revision: Revision

    public init(seq: Seq, revision: Revision) {
        self.seq = seq
        self.revision = revision
    }
}

/// A whole text in place of a stream that cannot go on.
public struct Resync: Equatable, Sendable {
    public let place: Place
    public let text: Text
    public let own: OwnPush?

    public init(place: Place, text: Text, own: OwnPush?) {
        self.place = place
        self.text = text
        self.own = own
    }
}

/// The answer to a push that was not refused, and the form in which own revisions come in the stream.
public struct Ack: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case committed
        /// The push was known already.
        case duplicate
        /// The push came to nothing; the revision is the head it was judged at.
        case unchanged
    }

    public let seq: Seq
    public let revision: Revision
    /// The edits as committed; nil where they are literally the ones that were sent, in UTF-16. Whoever has agreed on
    /// another unit gives them all the same, read from the sent ones in the text at the revision before: between base and
    /// there, equal offsets of another unit may have become others of UTF-16.
    public let edits: [Edit]?
    public let kind: Kind

    public init(seq: Seq, revision: Revision, edits: [Edit]? = nil, kind: Kind = .committed) {
        self.seq = seq
        self.revision = revision
        self.edits = edits
        self.kind = kind
    }
}

/// One committed revision by somebody else, or several in one.
public struct CommittedChange: Equatable, Sendable {
    public let revision: Revision
    /// Where several revisions are joined in one change, the one before the first of them.
    public let from: Revision?
    public let edits: [Edit]

    public init(revision: Revision, from: Revision? = nil, edits: [Edit]) {
        self.revision = revision
        self.from = from
        self.edits = edits
    }
}

/// How long a text is, and the CRC-32 of its UTF-8.
public struct TextCheck: Equatable, Sendable {
    public let length: Offset
    public let crc32: UInt32

    public init(length: Offset, crc32: UInt32) {
        self.length = length
        self.crc32 = crc32
    }

    public init(of text: Text) {
        var sum = CRC32()
        text.forEachPiece { sum.add($0) }
        self.init(length: text.end, crc32: sum.value)
    }
}

/// Somebody else's selections in the document.
public struct Peer: Equatable, Sendable {
    public let session: SessionID
    public internal(set) var selections: [Selection]

    public init(session: SessionID, selections: [Selection]) {
        self.session = session
        self.selections = selections
    }
}

public enum Rights: Equatable, Sendable {
    case none
    case read
    case write
}

/// Why a document is no longer there under its name.
public enum Departure: Equatable, Sendable {
    case renamed(to: DocumentName)
    case deleted
    case damaged
}
