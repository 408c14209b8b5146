package import CaretWire

extension Limits {
    /// Those that no server can be told to exceed, of all that bound what is asked: for a server's own files, which may
    /// hold what any server took.
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
    /// Sets what is counted as high as it may be; anything else has no most.
    fileprivate func takeMost(into settings: inout Settings) {
        switch kind {
        case .count(let path, let range), .bytes(let path, let range):
            settings[keyPath: path] = range.upperBound
        case .folder, .addresses, .yesNo, .time, .history, .logFormat, .logLevel: break
        }
    }
}
