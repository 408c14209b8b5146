extension Configuration {
    /// The settings that hold, as a configuration file, with where each came from.
    package var report: String {
        let rows = ConfigurationKey.all.map { key in
            (value: "  \(key.name): \(key.value(in: settings)),", origin: origin(of: key).description)
        }
        // A long list or path does not push all the others aside.
        let width = rows.map(\.value.count).filter { $0 <= 48 }.max() ?? 0
        let lines = rows.map { row in
            row.value + String(repeating: " ", count: max(0, width - row.value.count))
                + "  // \(row.origin)\n"
        }
        let ignored = ignoredVariables.map { "// \($0.echoed) is no key's variable; it is ignored.\n" }
        return "{\n\(lines.joined())}\n\(ignored.joined())"
    }
}
