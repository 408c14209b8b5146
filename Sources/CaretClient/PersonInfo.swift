package import CaretWire

/// What other clients see of the user of a client.
public struct PersonInfo: Hashable, Sendable {
    public var name: String?
    /// A CSS color, for example `#c33`.
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

    /// The form of the wire. Nil if it is longer than the wire allows.
    package var info: WireInfo? {
        let members = [("name", name), ("color", color)].compactMap { name, value in
            value.map { (WireString(name), WireString($0)) }
        }
        return WireInfo(members: members)
    }
}
