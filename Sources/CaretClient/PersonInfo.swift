package import CaretWire

/// The name and color of a client's user, as other clients see them.
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

    /// The name and color as the `info` object of the protocol. Nil if this object is longer than the
    /// protocol allows.
    package var info: WireInfo? {
        let members = [("name", name), ("color", color)].compactMap { name, value in
            value.map { (WireString(name), WireString($0)) }
        }
        return WireInfo(members: members)
    }
}
