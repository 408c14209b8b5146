import CaretWire

/// The options for the rights of a token: `--read`, `--note`, `--write` and `--admin`.
struct GrantOptions: Sendable {
    private let options: [(rights: GrantedRights, option: Option)]

    /// `admin` says what the right `admin` allows.
    init(admin: String) {
        let summaries: [(GrantedRights, String)] = [
            (.read, "may read documents whose names begin with PREFIX; =NAME means one document"),
            (.note, "may read these documents, write notes on them, and suggest changes"),
            (.write, "may read and change documents whose names begin with PREFIX"),
            (.admin, admin),
        ]
        options = summaries.map { rights, summary in
            (rights, Option(rights.rawValue, value: "PREFIX", isRepeatable: true, summary))
        }
    }

    var all: [Option] { options.map(\.option) }

    /// The rights that the user gave. At least one is required.
    func grants(in arguments: Arguments) throws(UsageFault) -> [WireGrant] {
        let grants = options.flatMap { rights, option in
            arguments.texts(option).map { WireGrant(rights, to: WireGrant.Scope(written: $0)) }
        }
        if grants.isEmpty {
            let flags = all.map(\.flag).joined(separator: ", ")
            throw arguments.fault(.missingArgument("one of \(flags)"))
        }
        return grants
    }
}

extension WireGrant.Scope {
    /// With `=` before a name, the right covers only that document.
    fileprivate init(written text: String) {
        if text.utf8.first == UInt8(ascii: "=") {
            self = .document(WireString(String(text.dropFirst())))
        } else {
            self = .prefix(WireString(text))
        }
    }
}
