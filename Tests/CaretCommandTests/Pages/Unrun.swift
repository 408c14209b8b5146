/// The commands of the pages that their test does not run, each with the reason: all that begin so.
struct Unrun {
    let beginning: String
    let reason: String

    static let all = [
        Unrun("scripts/test", "it is what runs this test"),
        Unrun("scripts/run", "scripts/test-newcomer runs it, and each command that it prints"),
        Unrun("caret watch welcome", "it needs a terminal; scripts/test-newcomer gives it one"),
        Unrun("caret sync ~/notes", "it goes on until it is ended; SyncTests run it"),
        Unrun("scripts/fuzz", "a phase of scripts/test of its own"),
        Unrun("scripts/mutation", "it runs tests on slips, which takes an hour"),
        Unrun("scripts/install-packages static", "it changes the machine; scripts/test-image --full runs it"),
        Unrun("sudo ", "it changes the machine; scripts/test-unit checks the unit"),
        Unrun("swift build", "a build of minutes; scripts/test-image links so, and --full builds so"),
        Unrun(".build/release/caret-bench core", "it measures, which takes long and is no test"),
        Unrun("swift test", "it runs tests, as what runs this one does"),
        Unrun("systemd-analyze ", "scripts/test-unit runs it, where it is"),
        Unrun("journalctl ", "where systemd runs, which is not everywhere"),
        Unrun("docker ", "no engine is wanted for the checks; scripts/test-image follows the Dockerfile"),
        Unrun("python3 type_lines.py", "TutorialTests take it from its page, and run it"),
        Unrun("swift format", "it would change the sources; scripts/test lints by the same rules"),
        Unrun("CARET_SEED=1234 swift test", "it runs tests, as what runs this one; the filter is looked up"),
        Unrun(
            "CARET_PLAN=plan.txt swift test", "it runs tests, as what runs this one; the filter is looked up"),
        Unrun("CARET_REWRITE=1 swift test", "it would change the sources; the filter is looked up"),
    ]

    private init(_ beginning: String, _ reason: String) {
        (self.beginning, self.reason) = (beginning, reason)
    }
}
