/// The rules of the `.caretignore` of a synced folder that apply now.
///
/// Editors may remove or empty a file for a moment while they save it. Meanwhile, no ignored file may reach the server.
/// So new rules apply at once, and earlier rules apply for a pause beside them.
struct IgnoreFile {
    static let name = ".caretignore"
    /// The maximum size of the file, in bytes.
    static let limit = 64 << 10
    /// How long earlier rules still apply after a change, in milliseconds.
    static let pause = 2_000

    private(set) var current: IgnoreRules
    private var earlier: [(rules: IgnoreRules, until: Int)] = []

    init(_ rules: IgnoreRules) { current = rules }

    /// When the next earlier rules end. Nil if there are none.
    var dueAt: Int? { earlier.map(\.until).min() }

    /// Applies the current rules of the file. Returns whether the ignored paths may have changed.
    mutating func read(_ new: IgnoreRules, at now: Int) -> Bool {
        let count = earlier.count
        earlier.removeAll { $0.until <= now }
        if new == current { return earlier.count != count }
        earlier.append((current, now + IgnoreFile.pause))
        current = new
        return true
    }

    /// Keeps all rules, because the file cannot be read.
    mutating func keepAll(at now: Int) {
        for index in earlier.indices { earlier[index].until = now + IgnoreFile.pause }
    }

    func ignores(_ path: String, isFolder: Bool = false) -> Bool {
        current.ignores(path, isFolder: isFolder)
            || earlier.contains { $0.rules.ignores(path, isFolder: isFolder) }
    }
}
