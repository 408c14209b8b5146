package import CaretWire

/// A key of the configuration. The help, the example file, the options and the variables are made from the
/// list of keys.
package struct ConfigurationKey: Sendable {
    package enum Group: String, CaseIterable, Sendable {
        case access = "Addresses and access"
        case store = "Storage"
        case log = "The log, on standard error"
        case threads = "Threads"
        case lines = "Limits of connections and lines"
        case documents = "Limits of documents and pushes"
    }

    /// The property of `Settings` that stores the key's value. The only source of the default is
    /// `Settings()`.
    package typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    package enum Kind: Sendable {
        case folder(Path<String>)
        /// The path of a file; empty for none.
        case file(Path<String>)
        /// The address of a PostgreSQL database; empty for none.
        case database(Path<String>)
        /// The name of a server among those that use one database.
        case node(Path<String>)
        /// The address of a server, as clients write it; empty for none.
        case reached(Path<String>)
        /// The audience of signed tokens; empty for none.
        case audience(Path<String>)
        /// The path of a URL; empty for none.
        case webPath(Path<String>)
        case tlsUse(Path<TLSUse>)
        case addresses(Path<[ListenAddress]>)
        case hosts(Path<[Authority]>)
        case origins(Path<[AllowedSites]>)
        /// Beginnings of the names of documents.
        case prefixes(Path<[String]>)
        /// The name of a field of HTTP; empty for none.
        case header(Path<String>)
        case machines(Path<[IPAddress]>)
        case rights(Path<[SignInRight]>)
        case yesNo(Path<Bool>)
        case count(Path<Int>, ClosedRange<Int>)
        case bytes(Path<Int>, ClosedRange<Int>)
        /// `counts` is the unit of the setting and of the range. `plain` is the unit of a number that is
        /// written without a unit.
        case time(Path<Int>, counts: TimeUnit, plain: TimeUnit, ClosedRange<Int>)
        case history(Path<KeptHistory>)
        case logFormat(Path<LogFormat>)
        case logLevel(Path<LogLevel>)
    }

    /// The name in the file: lowercase letters and underscores.
    package let name: String
    package let group: Group
    package let kind: Kind
    /// Whether a running server applies a new value when it reloads its configuration. If not, a new value
    /// needs a restart.
    package let isReloadable: Bool
    /// What the key does, in one line.
    package let meaning: String

    init(_ name: String, _ group: Group, _ kind: Kind, isReloadable: Bool = false, _ meaning: String) {
        self.name = name
        self.group = group
        self.kind = kind
        self.isReloadable = isReloadable
        self.meaning = meaning
    }

    /// The option, such as `--keep-history`.
    package var flag: String { "--" + name.replacing("_", with: "-") }

    /// The environment variable, such as `CARET_KEEP_HISTORY`.
    package var variable: String { Self.variablePrefix + name.uppercased() }

    /// How a change of the key takes effect, as a sentence.
    package var effectOfChange: String {
        isReloadable ? "SIGHUP applies a change." : "A change needs a restart."
    }

    /// True if the value is a Boolean, so the option without a value means true.
    var isYesNo: Bool {
        if case .yesNo = kind { true } else { false }
    }

    /// True if the value is a list, so the option may be repeated.
    package var isList: Bool {
        switch kind {
        case .addresses, .hosts, .origins, .prefixes, .machines, .rights: true
        case .folder, .file, .database, .node, .reached, .audience, .header, .webPath, .tlsUse, .yesNo,
            .count, .bytes, .time, .history, .logFormat, .logLevel:
            false
        }
    }

    package static let variablePrefix = "CARET_"
}
