package import CaretCore
package import CaretWire

/// Names one version of a document: its epoch and revision, as in the field `ETag: "k2v9.1/7"`.
package struct EntityTag: Equatable, Sendable {
    package let epoch: WireString
    package let revision: Revision

    package init(_ epoch: WireString, _ revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Reads a version such as `k2v9.1/7`. Refuses an epoch that a tag could not contain.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...Limits.epoch ~= parts[0].utf8.count,
            parts[0].utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "\"") }),
            let number = Int(digits: parts[1])
        else { return nil }
        self.init(WireString(String(parts[0])), Revision(number))
    }

    /// Reads a field's value such as `"k2v9.1/7"`. The tag of the JSON form names the same version.
    package init?(quoted value: [UInt8]) {
        let text = String(decoding: value, as: UTF8.self)
        guard text.count > 2, text.first == "\"", text.last == "\"" else { return nil }
        let inner = text.dropFirst().dropLast()
        self.init(inner.hasSuffix(EntityTag.jsonSuffix) ? inner.dropLast(EntityTag.jsonSuffix.count) : inner)
    }

    private static let jsonSuffix = "/json"

    /// The two forms of a document are different texts, so they need different tags.
    package func quoted(as type: MediaType) -> String {
        // Every response to a read has a tag. Bytes are faster to join than strings.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for part in ["\"", epoch.string, "/", String(revision.value)] { bytes.append(part) }
        if type == .json { bytes.append(EntityTag.jsonSuffix) }
        bytes.append("\"")
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension EntityTag {
    /// The tags in the field `If-None-Match`, with their quotes.
    static func known(to head: RequestHead) -> [[UInt8]] {
        head.fields["if-none-match"].flatMap { $0.split(separator: UInt8(ascii: ",")) }
            .map { Array($0.withoutBlanks) }
    }

    /// Whether a client that has these tags has the content with this one.
    static func isKnown(_ quoted: String, among known: [[UInt8]]) -> Bool {
        if known.isEmpty { return false }
        let quoted = Array(quoted.utf8)
        // A proxy may have made the tag weak, by adding `W/`. Weak tags are accepted too.
        return known.contains { $0 == quoted || $0 == Array("W/".utf8) + quoted || $0 == Array("*".utf8) }
    }
}

extension Int {
    /// Reads 1 to 15 digits, without a sign.
    init?(digits text: some StringProtocol) {
        guard 1...HTTPLimits.digits ~= text.utf8.count, text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}
