import CaretWire

extension ConfigurationKey {
    /// Stores the found value in the settings. Returns false if the value is not allowed.
    package func assign(_ found: FoundValue, into settings: inout Settings) -> Bool {
        switch kind {
        case .folder(let path): put(found.text.flatMap(Self.folder), path, &settings)
        case .file(let path):
            put(found.text.flatMap { $0.isEmpty ? $0 : Self.folder($0) }, path, &settings)
        case .database(let path): put(found.text.flatMap(Self.database), path, &settings)
        case .node(let path): put(found.text.flatMap(Self.node), path, &settings)
        case .reached(let path): put(found.text.flatMap(Self.reached), path, &settings)
        case .audience(let path): put(found.text.flatMap(Self.audience), path, &settings)
        case .webPath(let path): put(found.text.flatMap(Self.webPath), path, &settings)
        case .tlsUse(let path): put(found.text.flatMap(TLSUse.init), path, &settings)
        case .addresses(let path):
            put(found.texts.flatMap { Self.list($0, ListenAddress.init) }, path, &settings)
        case .hosts(let path): put(found.texts.flatMap { Self.list($0, Self.host) }, path, &settings)
        case .origins(let path):
            put(found.texts.flatMap { Self.list($0, AllowedSites.init) }, path, &settings)
        case .prefixes(let path): put(found.texts.flatMap { Self.list($0, Self.prefix) }, path, &settings)
        case .header(let path): put(found.text.flatMap(Self.header), path, &settings)
        case .machines(let path): put(found.texts.flatMap { Self.list($0, IPAddress.init) }, path, &settings)
        case .rights(let path): put(found.texts.flatMap { Self.list($0, SignInRight.init) }, path, &settings)
        case .yesNo(let path): put(found.yesNo, path, &settings)
        case .count(let path, let range): put(found.whole, within: range, path, &settings)
        case .bytes(let path, let range):
            put(found.whole ?? found.text.flatMap(SizeText.read), within: range, path, &settings)
        case .time(let path, let counts, let plain, let range):
            put(Self.time(found, counts, plain), within: range, path, &settings)
        case .history(let path): put(KeptHistory(found), path, &settings)
        case .logFormat(let path): put(found.text.flatMap(LogFormat.init), path, &settings)
        case .logLevel(let path): put(found.text.flatMap(LogLevel.init), path, &settings)
        }
    }

    /// Copies the key's value from one set of settings to another.
    func copy(from source: Settings, into settings: inout Settings) {
        switch kind {
        case .folder(let path), .file(let path), .database(let path), .node(let path),
            .reached(let path), .audience(let path), .header(let path), .webPath(let path):
            settings[keyPath: path] = source[keyPath: path]
        case .tlsUse(let path): settings[keyPath: path] = source[keyPath: path]
        case .addresses(let path): settings[keyPath: path] = source[keyPath: path]
        case .hosts(let path): settings[keyPath: path] = source[keyPath: path]
        case .origins(let path): settings[keyPath: path] = source[keyPath: path]
        case .prefixes(let path): settings[keyPath: path] = source[keyPath: path]
        case .machines(let path): settings[keyPath: path] = source[keyPath: path]
        case .rights(let path): settings[keyPath: path] = source[keyPath: path]
        case .yesNo(let path): settings[keyPath: path] = source[keyPath: path]
        case .count(let path, _), .bytes(let path, _), .time(let path, _, _, _):
            settings[keyPath: path] = source[keyPath: path]
        case .history(let path): settings[keyPath: path] = source[keyPath: path]
        case .logFormat(let path): settings[keyPath: path] = source[keyPath: path]
        case .logLevel(let path): settings[keyPath: path] = source[keyPath: path]
        }
    }

    /// The first item of a list that is not allowed. Returns `value` itself if it is not a list, or if each
    /// item alone is allowed.
    func refusedItem(in value: JSON5Value, with settings: Settings) -> JSON5Value {
        guard isList, case .array(let items) = value.kind else { return value }
        var settings = settings
        return items.first { !assign(.file($0.kind), into: &settings) } ?? value
    }

    private func put<Value>(_ value: Value?, _ path: Path<Value>, _ settings: inout Settings) -> Bool {
        guard let value else { return false }
        settings[keyPath: path] = value
        return true
    }

    private func put(
        _ value: Int?, within range: ClosedRange<Int>, _ path: Path<Int>, _ settings: inout Settings
    ) -> Bool {
        put(value.flatMap { range.contains($0) ? $0 : nil }, path, &settings)
    }

    /// The longest path that the system allows, in bytes.
    private static let longestPath = 4_095

    private static func folder(_ text: String) -> String? {
        let isPath =
            (1...longestPath).contains(text.utf8.count) && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        return isPath ? text : nil
    }

    private static func database(_ text: String) -> String? {
        let isAddress = ["postgres://", "postgresql://"].contains { text.hasPrefix($0) }
        return text.isEmpty ? text : isAddress ? folder(text) : nil
    }

    /// The longest name of a server, as for the name of a machine.
    private static let longestNode = 63

    private static func node(_ text: String) -> String? {
        let isName = text.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
            default: false
            }
        }
        return isName && text.utf8.count <= longestNode ? text : nil
    }

    /// The longest address of a server, in bytes: a name of a machine with a port.
    private static let longestAddress = 300

    private static func reached(_ text: String) -> String? {
        let isAddress = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
        return isAddress && text.utf8.count <= longestAddress ? text : nil
    }

    /// The longest name of an audience, in bytes.
    private static let longestAudience = 200

    private static func audience(_ text: String) -> String? {
        let isName = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isName && text.utf8.count <= longestAudience ? text : nil
    }

    /// The longest path of a URL, in bytes.
    private static let longestWebPath = 200

    /// None of these characters has a meaning in HTML. With two slashes, or with a backslash, it could be the name of
    /// another host.
    private static func webPath(_ text: String) -> String? {
        let isPath = text.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/": true
            default: false
            }
        }
        let isOfThisHost = text.isEmpty || text.hasPrefix("/") && !text.hasPrefix("//")
        return isPath && isOfThisHost && text.utf8.count <= longestWebPath ? text : nil
    }

    /// How many items a list may have, such as the addresses that a server listens on.
    private static let mostItems = 16

    private static func list<Item>(_ texts: [String], _ parse: (String) -> Item?) -> [Item]? {
        let items = texts.compactMap(parse)
        return items.count == texts.count && texts.count <= mostItems ? items : nil
    }

    /// Parses a host. A port is not allowed, because a proxy may listen on another port than the server.
    private static func host(_ text: String) -> Authority? {
        Authority(text).flatMap { $0.port == nil ? $0 : nil }
    }

    private static func prefix(_ text: String) -> String? {
        let isPrefix = text.utf8.count <= Limits.name && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        return isPrefix ? text : nil
    }

    /// The longest name of a field, in bytes.
    private static let longestHeader = 100

    private static func header(_ text: String) -> String? {
        let isName = text.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
            default: false
            }
        }
        return isName && text.utf8.count <= longestHeader ? text : nil
    }

    private static func time(_ found: FoundValue, _ counts: TimeUnit, _ plain: TimeUnit) -> Int? {
        (found.whole.map(String.init) ?? found.text).flatMap { TimeText.read($0, in: counts, plain: plain) }
    }

    /// The allowed values, for the message about a refused value.
    package var allowed: String {
        switch kind {
        case .folder: "the path of a folder, without control characters"
        case .file: "the path of a file, without control characters, or an empty text"
        case .database:
            "an address such as postgres://caret@db.example.org/caret, or an empty text"
        case .node:
            "at most \(Self.longestNode) letters, digits and characters of -._, or an empty text"
        case .reached:
            "an address such as caret.example.org:22738 or carets://caret.example.org, or an empty text"
        case .audience: "at most \(Self.longestAudience) visible characters of ASCII, or an empty text"
        case .webPath:
            "a path such as /token, with at most \(Self.longestWebPath) letters, digits and characters of -._~/, "
                + "or an empty text"
        case .tlsUse: TLSUse.allCases.map(\.rawValue).joined(separator: ", ")
        case .addresses:
            "at most \(Self.mostItems) addresses HOST:PORT; HOST is localhost or an IP address such as 127.0.0.1 or [::1]"
        case .hosts:
            "at most \(Self.mostItems) names or IP addresses without a port, such as caret.example.org"
        case .origins:
            "at most \(Self.mostItems) origins, such as https://app.example.org; "
                + "http://localhost:* means all sites of this machine"
        case .prefixes:
            "at most \(Self.mostItems) beginnings of names, such as public/; an empty one means all documents"
        case .header:
            "at most \(Self.longestHeader) letters, digits and characters of -_, or an empty text"
        case .machines: "at most \(Self.mostItems) IP addresses without a port, such as 127.0.0.1 or ::1"
        case .rights:
            "at most \(Self.mostItems) rights, such as write:home/{user}/, read:public/ or read:=agenda"
        case .yesNo: "true or false"
        case .count(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bytes(_, let range):
            "a size from \(SizeText.written(range.lowerBound)) to \(SizeText.written(range.upperBound))"
        case .time(_, let counts, let plain, let range):
            "a time from \(TimeText.written(range.lowerBound, counts)) to "
                + TimeText.written(range.upperBound, counts)
                + (counts == plain
                    ? ", in whole \(plain.name)"
                    : ", in whole \(counts.name); a plain number means \(plain.name)")
        case .history: KeptHistory.allowed
        case .logFormat: LogFormat.allCases.map(\.rawValue).joined(separator: ", ")
        case .logLevel: LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// The word that stands for the value in the help.
    package var placeholder: String {
        switch kind {
        case .folder: "DIR"
        case .file: "FILE"
        case .database: "URL"
        case .node: "NAME"
        case .reached: "ADDRESS"
        case .audience: "NAME"
        case .webPath: "PATH"
        case .tlsUse: TLSUse.allCases.map(\.rawValue).joined(separator: "|")
        case .addresses: "HOST:PORT"
        case .hosts: "HOST"
        case .origins: "ORIGIN"
        case .prefixes: "PREFIX"
        case .header: "NAME"
        case .machines: "ADDRESS"
        case .rights: "RIGHT"
        case .yesNo: ""
        case .count: "COUNT"
        case .bytes: "SIZE"
        case .time: "TIME"
        case .history: "HOW MUCH"
        case .logFormat: LogFormat.allCases.map(\.rawValue).joined(separator: "|")
        case .logLevel: LogLevel.allCases.map(\.rawValue).joined(separator: "|")
        }
    }

    /// The key's value in these settings, as written in a configuration file.
    package func value(in settings: Settings) -> String {
        switch kind {
        case .folder(let path), .file(let path), .database(let path), .node(let path), .reached(let path),
            .audience(let path), .header(let path), .webPath(let path):
            settings[keyPath: path].quoted
        case .tlsUse(let path): settings[keyPath: path].rawValue.quoted
        case .addresses(let path): Self.written(settings[keyPath: path])
        case .hosts(let path): Self.written(settings[keyPath: path])
        case .origins(let path): Self.written(settings[keyPath: path])
        case .prefixes(let path): Self.written(settings[keyPath: path])
        case .machines(let path): Self.written(settings[keyPath: path])
        case .rights(let path): Self.written(settings[keyPath: path])
        case .yesNo(let path): settings[keyPath: path] ? "true" : "false"
        case .count(let path, _): String(settings[keyPath: path])
        case .bytes(let path, _): SizeText.written(settings[keyPath: path]).quoted
        case .time(let path, let counts, _, _): TimeText.written(settings[keyPath: path], counts).quoted
        case .history(let path): settings[keyPath: path].description.quoted
        case .logFormat(let path): settings[keyPath: path].rawValue.quoted
        case .logLevel(let path): settings[keyPath: path].rawValue.quoted
        }
    }
}

extension ConfigurationKey {
    private static func written(_ items: [some CustomStringConvertible]) -> String {
        "[" + items.map(\.description.quoted).joined(separator: ", ") + "]"
    }
}

extension KeptHistory: CustomStringConvertible {
    static let allowed =
        "\"forever\", a count such as \"10000 revisions\", or a time from 1 min to 36500 days; a plain number is days"

    private static let seconds = 60...36_500 * 86_400
    private static let revisions = 1...1_000_000_000

    init?(_ found: FoundValue) {
        if found.text == "forever" {
            self = .forever
        } else if let text = found.text, text.hasSuffix(" revisions") {
            guard let count = Quantity.whole(text.dropLast(" revisions".count)),
                Self.revisions.contains(count)
            else { return nil }
            self = .revisions(count)
        } else {
            guard let text = found.whole.map(String.init) ?? found.text,
                let seconds = TimeText.read(text, in: .seconds, plain: .days), Self.seconds.contains(seconds)
            else { return nil }
            self = .seconds(seconds)
        }
    }

    package var description: String {
        switch self {
        case .forever: "forever"
        case .seconds(let count): TimeText.written(count, .seconds)
        case .revisions(let count): "\(count) revisions"
        }
    }
}
