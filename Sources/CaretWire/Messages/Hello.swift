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
        units = (try fields.strings("units") ?? []).compactMap { wish in
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

/// The answer to `hello`: what client and server have agreed on.
package struct Welcome: WireMessage {
    package static var type: StaticString { "welcome" }

    package var unit: CodeUnit
    package var server: WireString
    package var user: WireString
    /// The public id of the client, which others see. Nil from a server that does not send it.
    package var client: WireString?
    package var features: [WireString]
    package var limits: Limits.Announced
    /// Seconds of silence after which the server sends `ping`.
    package var ping: Int
    /// The address of the server's page. Nil if the server has no page.
    package var page: WireString?
    /// The part with which all epochs of this store begin. Nil from a server that does not send it.
    package var store: WireString?
    /// The name of the server, if several servers use its store.
    package var node: WireString?
    /// The most that the user may do with any document. Nil if this is `write`.
    package var rights: Rights?
    /// What the user may write. Empty if this is every document, none, or too much for a `welcome`.
    package var grants: [WireGrant]

    /// The most grants of a `welcome`. A user with more is rare, and then learns from refusals what is not allowed.
    package static let mostGrants = 100

    package init(
        unit: CodeUnit, server: WireString, user: WireString, client: WireString?,
        features: [WireString] = [], limits: Limits.Announced = Limits.Announced(), ping: Int,
        page: WireString? = nil, store: WireString? = nil, node: WireString? = nil,
        rights: Rights? = nil, grants: [WireGrant] = []
    ) {
        self.unit = unit
        self.server = server
        self.user = user
        self.client = client
        self.features = features
        self.limits = limits
        self.ping = ping
        self.page = page
        self.store = store
        self.node = node
        self.rights = rights
        self.grants = grants
    }

    init(_ fields: Fields) throws(FieldFault) {
        _ = try fields.integer("protocol", in: Limits.protocolVersion...Limits.protocolVersion)
        unit = try fields.word("unit")
        server = try fields.string("server")
        user = try fields.string("user")
        client = try fields.string(optional: "client")
        features = try fields.strings("features") ?? []
        limits = try fields.read("limits", fields.value("limits")) { value throws(FieldFault) in
            try Limits.Announced(value)
        }
        ping = try fields.integer("ping")
        page = try fields.string(optional: "page")
        store = try fields.string(optional: "store")
        node = try fields.string(optional: "node")
        rights = try fields.word(optional: "rights")
        let limits = fields.limits
        grants =
            try fields.array(optional: "grants") { value throws(FieldFault) in
                try WireGrant(value, atMost: .max, limits)
            } ?? []
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("protocol", Limits.protocolVersion)
        writer.member("unit", unit)
        writer.member("server", server)
        writer.member("user", user)
        writer.member("client", client)
        writer.member("features", features) { $0.value($1) }
        writer.key("limits")
        writer.beginObject()
        writer.member("line", limits.line)
        writer.member("document", limits.document)
        writer.member("edits", limits.edits)
        writer.member("documents", limits.documents)
        writer.member("selections", limits.selections)
        writer.member("pushes_per_second", limits.pushesPerSecond)
        writer.endObject()
        writer.member("ping", ping)
        writer.member("page", page)
        writer.member("store", store)
        writer.member("node", node)
        writer.member("rights", rights.map { WireString($0.rawValue) })
        if !grants.isEmpty { writer.member("grants", grants) }
    }
}

extension Fields {
    func strings(_ name: StaticString) throws(FieldFault) -> [WireString]? {
        try array(optional: name) { value throws(FieldFault) in
            try value.string(atMost: .max, orElse: .badMessage)
        }
    }
}

extension Limits.Announced {
    /// Reads the limits of `welcome`. A missing limit has the protocol's default.
    init(_ value: JSONValue) throws(FieldFault) {
        self.init()
        let fields = try Fields(value, limits: self)
        line = try fields.integer(optional: "line") ?? line
        document = try fields.integer(optional: "document") ?? document
        edits = try fields.integer(optional: "edits") ?? edits
        documents = try fields.integer(optional: "documents") ?? documents
        selections = try fields.integer(optional: "selections") ?? selections
        pushesPerSecond = try fields.integer(optional: "pushes_per_second")
    }
}
