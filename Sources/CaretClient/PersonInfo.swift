package import CaretWire

/// What others see of whoever is behind a client.
public struct Person: Hashable, Sendable {
    public var name: String?
    /// As in CSS: `#c33`.
    public var color: String?

    public init(name: String? = nil, color: String? = nil) {
        self.name = name
        self.color = color
    }

    init?(_ info: WireInfo?) {
        guard let info else { return nil }
        name = info.string("name")?.string
        color = info.string("color")?.string
    }

    /// Nil where it is longer than the wire carries.
    package var info: WireInfo? {
        let members = [("name", name), ("color", color)].compactMap { name, value in
            value.map { (WireString(name), WireString($0)) }
        }
        return WireInfo(members: members)
    }
}
