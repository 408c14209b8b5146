package import CaretWire

extension Limits {
    /// The largest limits of requests that can be configured. The `caret` command uses them to read the data
    /// of a stopped server, because it does not know that server's limits.
    package static var widest: Limits {
        var settings = Settings()
        for name in [
            "limit_line", "limit_line_budget", "limit_document", "limit_edits", "limit_documents",
            "limit_selections", "limit_room_selections", "limit_rebase",
        ] {
            guard let key = ConfigurationKey.named(name) else {
                preconditionFailure("\(name) is not a key of the configuration")
            }
            key.assignWidest(into: &settings)
        }
        return settings.limits
    }
}

extension ConfigurationKey {
    /// Sets a count or a size to its largest allowed value. Other keys are not changed.
    fileprivate func assignWidest(into settings: inout Settings) {
        switch kind {
        case .count(let path, let range), .bytes(let path, let range):
            settings[keyPath: path] = range.upperBound
        case .folder, .file, .database, .node, .reached, .audience, .header, .webPath, .tlsUse, .addresses,
            .hosts, .origins, .prefixes, .machines, .rights, .yesNo, .time, .history, .logFormat, .logLevel:
            break
        }
    }
}
