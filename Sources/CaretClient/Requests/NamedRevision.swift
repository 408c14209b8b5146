public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A revision of a document with a name.
public struct NamedRevision: Equatable, Sendable {
    public let name: String
    public let revision: Revision
    /// Who named the revision, and when.
    public let user: String
    public let time: Date

    init(_ tag: TagList.Item) {
        name = tag.name.string
        revision = tag.revision
        user = tag.user.string
        time = Date(milliseconds: tag.time)
    }
}

extension LiveClient {
    /// Names a revision. A name has 1 to 64 ASCII letters, digits, `-`, `_` and `.`, and begins with a letter.
    public func tag(_ revision: Revision, of document: String, as name: String) async throws {
        let request = AddTag(document: WireString(document), name: WireString(name), revision: revision)
        guard case .done = try await self.request(.tags(.add(request))) else { throw unexpectedAnswer }
    }

    /// Removes the name of a revision. The revision stays.
    public func untag(_ name: String, of document: String) async throws {
        let request = RemoveTag(document: WireString(document), name: WireString(name))
        guard case .done = try await self.request(.tags(.remove(request))) else { throw unexpectedAnswer }
    }

    /// The named revisions of a document, sorted by revision and name.
    public func tags(of document: String) async throws -> [NamedRevision] {
        let answer = try await request(.tags(.list(ListTags(document: WireString(document)))))
        guard case .tags(let list) = answer else { throw unexpectedAnswer }
        return list.tags.map { NamedRevision($0) }
    }
}
