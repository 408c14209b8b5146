package import CaretWire

/// The name and color of a user in a signed token.
package struct VerifiedLook: Equatable, Sendable {
    package let name: WireString?
    package let color: WireString?

    /// Nil if the token has neither.
    package init?(name: WireString?, color: WireString?) {
        if name == nil, color == nil { return nil }
        (self.name, self.color) = (name, color)
    }
}

extension WireInfo {
    /// The object that other clients get. If the token has a name or a color, these replace the name and the color of the
    /// client's object, and `verified` is added. A client cannot set `verified` itself.
    ///
    /// If the result were too long, the other members of the client's object are left out.
    package static func shown(_ info: WireInfo?, _ look: VerifiedLook?) -> WireInfo? {
        var own: [(WireString, JSONElement)] = []
        if let name = look?.name { own.append(("name", .string(name))) }
        if let color = look?.color { own.append(("color", .string(color))) }
        if look != nil { own.append(("verified", .bool(true))) }
        let replaced: [WireString] = look == nil ? ["verified"] : ["name", "color", "verified"]
        guard let info else { return own.isEmpty ? nil : WireInfo(own) }
        // The line was checked when the client's object was read.
        guard let said = try? JSONObject(parsing: info.json).members else { return WireInfo(own) }
        let rest = said.filter { !replaced.contains($0.name) }
        if own.isEmpty, rest.count == said.count { return info }
        return WireInfo(own + rest.map { ($0.name, $0.value) }) ?? WireInfo(own)
    }

    private init?(_ members: [(WireString, JSONElement)]) {
        var object = JSONObject()
        for (name, value) in members { object.append(name, value) }
        self.init(json: object.bytes)
    }
}
