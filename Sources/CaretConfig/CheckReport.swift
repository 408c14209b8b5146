extension Configuration {
    /// The effective settings, as a configuration file with the origin of each setting.
    package var report: String {
        let rows = ConfigurationKey.all.map { key in
            (value: "  \(key.name): \(key.value(in: settings)),", origin: origin(of: key).description)
        }
        // Long values do not widen the column, so that one long path does not move all comments to the right.
        let width = rows.map(\.value.count).filter { $0 <= 48 }.max() ?? 0
        let lines = rows.map { row in
            row.value + String(repeating: " ", count: max(0, width - row.value.count))
                + "  // \(row.origin)\n"
        }
        let ignored = ignoredVariables.map { "// \($0.echoed) is ignored: no key has this variable.\n" }
        return "{\n\(lines.joined())}\n\(ignored.joined())"
    }
}
