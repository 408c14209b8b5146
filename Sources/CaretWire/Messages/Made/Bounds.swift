// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

extension Limits {
    /// The version of the protocol.
    package static let protocolVersion = 1
    /// The most bytes of an `id` that is a string.
    package static let id = 64
    /// The most bytes of a document's name, of a prefix, and of `after` in the list of names.
    package static let name = 512
    /// The most bytes of the name of a revision.
    package static let tagName = 64
    /// The most bytes of an epoch. The server's own epochs are shorter.
    package static let epoch = 64
    /// How many characters a client's id may have.
    package static let client = 8...64
    /// The most bytes of `info`. The server sends `info` to every client that has the same document open.
    package static let info = 1_024
    /// The most bytes of a passage to redact. The server compares about twice as many bytes for each revision.
    package static let passage = 16_384
    /// The most bytes of the text of a note.
    package static let noteText = 16_384
    /// The most edits of a suggestion. The server moves each of them with every change.
    package static let noteEdits = 1_000
    /// The most grants of a token. The number is limited because each request to list documents makes the store
    /// search for each grant.
    package static let grants = 1_000
    /// The most bytes of the id of a signed token, its claim `jti`.
    package static let tokenID = 128
    /// The range of `limit` in requests for a page.
    package static let items = 1...1_000
}
