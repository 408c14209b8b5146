package import CaretWire

extension Limits {
    /// The largest request limits that any server can be configured with. The command line uses them for the
    /// files of a stopped server, which may hold whatever that server accepted.
    package static var widest: Limits {
        var settings = Settings()
        for name in [
            "limit_line", "limit_line_budget", "limit_document", "limit_edits", "limit_documents",
            "limit_selections", "limit_room_selections", "limit_rebase",
        ] {
            guard let key = ConfigurationKey.named(name) else {
                preconditionFailure("\(name) is no key of the configuration")
            }
            key.takeMost(into: &settings)
        }
        return settings.limits
    }
}

extension ConfigurationKey {
    /// Sets a count or size to its largest allowed value. Other kinds have none.
    fileprivate func takeMost(into settings: inout Settings) {
        switch kind {
        case .count(let path, let range), .bytes(let path, let range):
            settings[keyPath: path] = range.upperBound
        case .folder, .addresses, .yesNo, .time, .history, .logFormat, .logLevel: break
        }
    }
}
