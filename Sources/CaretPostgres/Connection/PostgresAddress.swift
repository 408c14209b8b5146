import CPostgres

/// Where a database is: libpq's connection string or URI, with safe defaults for what it leaves out.
package struct PostgresAddress: Equatable, Sendable {
    /// As the operator wrote it.
    private let text: String
    /// Parameters that the operator's string may override.
    private let defaults: [String: String]
    /// The parameters that are lists with one item for each host: `host`, `hostaddr` and `port`.
    private let lists: [String: [String]]

    /// Why a string is not an address.
    package struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// A lost server is noticed within seconds. The system of the server confirms each packet, so a busy server is
    /// not taken for a lost one.
    private static let timeouts = [
        "connect_timeout": "2", "tcp_user_timeout": "5000", "keepalives_idle": "2",
        "keepalives_interval": "1",
        "keepalives_count": "3", "target_session_attrs": "read-write", "application_name": "caretd",
    ]

    package init(_ text: String) throws(Invalid) {
        let given = try PostgresAddress.parameters(of: text)
        // The configuration is printed, so it must not contain a secret.
        if given["password"] != nil {
            throw Invalid(
                description: "it contains a password; put the password into the file that PGPASSFILE names")
        }
        self.text = text
        lists = given.filter { ["host", "hostaddr", "port"].contains($0.key) }.mapValues {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        var defaults = PostgresAddress.timeouts
        let hosts = ((given["hostaddr"] ?? given["host"]) ?? "").split(separator: ",")
        // Passwords and texts cross a network only to a server whose certificate is right.
        if !hosts.allSatisfy(PostgresAddress.isLocal) { defaults["sslmode"] = "verify-full" }
        self.defaults = defaults
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || host.hasPrefix("127.")
            || ["localhost", "::1"].contains(host)
    }

    /// The parameters that a connection string sets.
    private static func parameters(of text: String) throws(Invalid) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            defer { PQfreemem(message) }
            let reason = message.map { String(cString: $0).firstLine } ?? "it cannot be parsed"
            throw Invalid(description: reason)
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return found
    }

    /// Whether a configured store is a database and no folder.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Keywords and values for libpq. The later ones override the earlier ones, so the operator's come last.
    package var parameters: [(keyword: String, value: String)] {
        defaults.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("dbname", text)]
    }

    // MARK: Several hosts

    /// The number of hosts, at least 1.
    package var hostCount: Int { max(1, lists["host"]?.count ?? 1, lists["hostaddr"]?.count ?? 1) }

    /// The parameters with another order of the hosts: they begin with this one.
    package func parameters(beginningWith first: Int) -> [(keyword: String, value: String)] {
        let start = first % hostCount
        if start == 0 { return parameters }
        let turned = lists.filter { $0.value.count == hostCount }.sorted { $0.key < $1.key }
        return parameters
            + turned.map { ($0.key, ($0.value[start...] + $0.value[..<start]).joined(separator: ",")) }
    }

    /// The index of a host that libpq names; nil if it is not in the list.
    package func index(of host: String, port: String) -> Int? {
        let (ports, names) = (lists["port"] ?? [], lists["host"] ?? [])
        let addresses = lists["hostaddr"] ?? []
        return (0..<hostCount).first { index in
            let name = index < names.count && !names[index].isEmpty ? names[index] : nil
            return (name ?? (index < addresses.count ? addresses[index] : "")) == host
                && (ports.count != hostCount || ports[index] == port)
        }
    }
}

extension String {
    /// The first line. libpq ends its messages with a line break, and adds lines that explain them.
    var firstLine: String { String(prefix { !$0.isNewline }) }
}
