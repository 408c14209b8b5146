import CaretWire

/// What a link allows everybody who has it.
public enum LinkRight: Hashable, Sendable { case read, write }

// Links to a document: tokens for everybody who gets the link. The server must allow them, and you need the right
// to write the document.
extension LiveClient {
    /// Makes a link that is valid for at most 30 days. The text of its token is what the others connect with.
    ///
    /// If the connection ends before the answer, the request throws `ConnectionFault.lost`. The server may have
    /// made the link all the same: look for it in `links`, and end it.
    public func makeLink(to name: String, _ right: LinkRight, seconds: Int) async throws -> AccessToken {
        let request = AddLink(
            document: WireString(name), rights: right == .write ? .write : .read, seconds: seconds)
        guard case .admin(.tokenAdded(let added)) = try await self.request(.links(.add(request))) else {
            throw unexpectedAnswer
        }
        return AccessToken(number: added.number, text: added.token.string)
    }

    /// Lists the links to a document, sorted by number. A page has at most 1,000 links.
    public func links(
        to name: String, after number: Int? = nil, limit: Int = 100
    ) async throws -> (links: [AccessTokenInfo], hasMore: Bool) {
        let request = ListLinks(document: WireString(name), after: number, limit: limit)
        guard case .admin(.tokens(let answer)) = try await self.request(.links(.list(request))) else {
            throw unexpectedAnswer
        }
        return (answer.tokens.map { AccessTokenInfo($0) }, answer.hasMore)
    }

    /// Ends a link. The clients that use it are disconnected at once.
    public func endLink(_ number: Int, to name: String) async throws {
        let request = EndLink(document: WireString(name), number: number)
        guard case .done = try await self.request(.links(.end(request))) else { throw unexpectedAnswer }
    }
}
