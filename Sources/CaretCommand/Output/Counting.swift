extension Int {
    /// The number with its noun: `1 document`, `2 documents`.
    func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
