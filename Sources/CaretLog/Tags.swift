package import CaretCore

/// The name of a revision: ASCII letters, digits, `-`, `_` and `.`, of which the first is a letter. So a tag
/// never looks like the number or the time of a revision.
package struct TagName: Hashable, Comparable, Sendable {
    package static let longest = 64

    package let bytes: ByteString

    /// Nil if the text is not a tag.
    package init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard let first = utf8.first, TagName.isLetter(first), utf8.count <= TagName.longest,
            utf8.allSatisfy(TagName.isAllowed)
        else { return nil }
        bytes = ByteString(utf8: utf8)
    }

    package var text: String { bytes.string }

    package static func < (left: TagName, right: TagName) -> Bool { left.bytes < right.bytes }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: isLetter(byte)
        }
    }
}

/// A named revision of a document.
package struct Tag: Equatable, Sendable {
    package let name: TagName
    package let revision: Revision
    /// Who made the tag, and when.
    package let user: ByteString
    package let time: Int64

    package init(name: TagName, revision: Revision, user: ByteString, time: Int64) {
        self.name = name
        self.revision = revision
        self.user = user
        self.time = time
    }
}

/// A call to a store about the tags of a document. A tag belongs to a document, whatever name the document has. A deleted
/// document keeps its tags. A trim removes the tags of the revisions whose texts it removes.
package enum TagCall: Equatable, Sendable {
    /// Names a revision that is kept. A document has at most `limit` tags.
    case add(Tag, to: DocumentID, limit: Int)
    case remove(TagName, from: DocumentID)
    /// A document with all its tags, sorted by revision and name.
    case list(DocumentID)
    /// Creates a document with the tags of another one, and with the texts that they name.
    indirect case copy(DocumentCopy)

    /// The answer if the call is refused.
    func refused(_ refusal: HistoryRefusal) -> TagAnswer {
        switch self {
        case .add: .added(.refused(refusal))
        case .remove: .removed(.failure(refusal.storeRefusal))
        case .list: .listed(.failure(refusal.storeRefusal))
        case .copy: .copied(.refused(refusal.storeRefusal))
        }
    }
}

/// The answer to the call of the same name.
package enum TagAnswer: Equatable, Sendable {
    case added(TagResult)
    /// Whether the document had the tag.
    case removed(Result<Bool, StoreRefusal>)
    case listed(Result<TaggedDocument, StoreRefusal>)
    case copied(CopyResult)
}

/// A document and its tags at the same moment.
package struct TaggedDocument: Equatable, Sendable {
    package let entry: DocumentEntry
    package let tags: [Tag]

    package init(_ entry: DocumentEntry, _ tags: [Tag]) { (self.entry, self.tags) = (entry, tags) }
}

/// The result of adding a tag.
package enum TagResult: Equatable, Sendable {
    /// The revision has the tag now, or had it before.
    case tagged
    /// Another revision of the document has the tag.
    case exists(Revision)
    /// The document has as many tags as it may have.
    case tooMany
    case refused(HistoryRefusal)
}
