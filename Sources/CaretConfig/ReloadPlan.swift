/// What a new configuration changes in a running server.
package struct ReloadPlan: Equatable, Sendable {
    /// The settings after the reload: the running ones, with the new values that a reload may apply.
    package private(set) var settings: Settings
    package private(set) var changed: [SettingChange] = []
    /// Changes that take effect only after a restart, compared with the running settings.
    package private(set) var needsRestart: [SettingChange] = []

    package init(from running: Settings, to new: Settings) {
        settings = running
        for key in ConfigurationKey.all {
            let change = SettingChange(key: key, from: running, to: new)
            if change.oldValue == change.newValue { continue }
            if key.isReloadable {
                key.copy(from: new, into: &settings)
                changed.append(change)
            } else {
                needsRestart.append(change)
            }
        }
    }

    /// Why the plan must not be applied; empty if it may be.
    ///
    /// The new configuration alone is valid. But until a restart, the new values of some keys would be used
    /// with the old values of others, and these may contradict each other. For example, a new name in
    /// `web_hosts` would open a server to other machines before `require_tokens` protects it.
    package var faults: [String] {
        let keys = needsRestart.map(\.key).joined(separator: ", ")
        return Contradiction.all(in: settings).map {
            "restart the server, because a reload does not change \(keys); with the running value, \($0)"
        }
    }
}

/// A key whose value differs between two sets of settings.
package struct SettingChange: Equatable, Sendable, CustomStringConvertible {
    /// The name of the key.
    package let key: String
    package let oldValue: String
    package let newValue: String

    package init(key: ConfigurationKey, from old: Settings, to new: Settings) {
        self.key = key.name
        oldValue = key.value(in: old)
        newValue = key.value(in: new)
    }

    package var description: String { "\(key): \(Self.unquoted(oldValue)) -> \(Self.unquoted(newValue))" }

    /// A value without the quotes of its texts, which a log line would have to escape.
    private static func unquoted(_ value: String) -> String {
        value == "\"\"" ? "empty" : value.replacing("\"", with: "")
    }
}
