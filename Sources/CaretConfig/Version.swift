import CBuild

/// The version of Caret.
package enum Version {
    package static let word: LogWord = "0.2.0"
    package static var number: String { word.text }

    /// What `--version` prints after the name of a program.
    package static var line: String {
        let commit = String(cString: caret_commit())
        return "\(number) (\(commit.isEmpty ? "unknown commit" : "commit \(commit)"), \(build) build)"
    }

    private static var build: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}
