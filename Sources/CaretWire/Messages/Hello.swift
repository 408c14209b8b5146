package import CaretCore

/// The first message of a connection: who the client is, and what it supports.
package struct Hello: WireMessage {
    package static var type: StaticString { "hello" }

    /// Identifies the client to the server. Only the client and the server know this id.
    package var client: WireString
    /// The units that the client supports, best first. Units that this server does not know are left out.
    package var units: [CodeUnit]
    package var token: WireString?
    package var info: WireInfo?

    package init(
        client: WireString, units: [CodeUnit] = [], token: WireString? = nil, info: WireInfo? = nil
    ) {
        self.client = client
        self.units = units
        self.token = token
        self.info = info
    }

    init(_ fields: Fields) throws(FieldFault) {
        // The version is checked first, because another version may define all other fields differently.
        let version = try fields.integer("protocol", in: -Limits.integer...Limits.integer)
        if version != Limits.protocolVersion {
            var fault = fields.fault(
                "protocol", "is \(version); this server speaks version \(Limits.protocolVersion)")
            fault.code = .unsupportedProtocol
            throw fault
        }
        client = try Hello.client(in: fields)
        units = (try fields.strings(optional: "units") ?? []).compactMap { wish in
            CodeUnit.all.first { $0.matches(wish) }
        }
        token = try fields.string(optional: "token")
        info = try fields.info()
    }

    private static func client(in fields: Fields) throws(FieldFault) -> WireString {
        let client = try fields.string("client")
        let isPrintable = client.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        guard isPrintable, Limits.client.contains(client.utf8.count) else {
            // The id is a secret, so the error message does not repeat it: other people may read the logs.
            let problem =
                "has \(client.utf8.count) bytes\(isPrintable ? "" : ", not all of them printable ASCII")"
                + "; expected \(Limits.client.lowerBound) to \(Limits.client.upperBound) printable ASCII"
                + " characters"
            throw fields.fault("client", problem)
        }
        return client
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("protocol", Limits.protocolVersion)
        writer.member("client", client)
        if !units.isEmpty { writer.member("units", units) { $0.value(WireString($1.word)) } }
        writer.member("token", token)
        writer.member("info", info)
    }
}

extension Welcome {
    /// The most grants of a `welcome`. A user with more is rare, and then learns from refusals what is not allowed.
    package static let mostGrants = 100
}
