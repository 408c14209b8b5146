/// A command on a page that the tests do not run, and the reason. It matches all commands that begin with it.
struct SkippedCommand {
    let beginning: String
    let reason: String

    static let all = [
        SkippedCommand("scripts/test", "it is what runs this test"),
        SkippedCommand("scripts/run", "scripts/test-newcomer runs it, and what it prints"),
        SkippedCommand("caret watch agenda", "it wants a terminal; scripts/test-newcomer gives it one"),
        SkippedCommand("caret sync notes", "it goes on until it is ended; SyncTests run it"),
        SkippedCommand("scripts/fuzz", "a phase of scripts/test of its own"),
        SkippedCommand("scripts/mutation", "it runs tests on slips, which takes an hour"),
        SkippedCommand(
            "scripts/install-packages static", "it changes the machine; scripts/test-image --full runs it"),
        SkippedCommand("sudo ", "it changes the machine; scripts/test-unit checks the unit"),
        SkippedCommand(
            "swift build", "a build of minutes; scripts/test-image links so, and --full builds so"),
        SkippedCommand(".build/release/caret-bench core", "it measures, which takes long and is no test"),
        SkippedCommand("swift test", "it runs tests, as what runs this one does"),
        SkippedCommand("systemd-analyze ", "scripts/test-unit runs it, where it is"),
        SkippedCommand("journalctl ", "where systemd runs, which is not everywhere"),
        SkippedCommand(
            "docker ", "no engine is wanted for the checks; scripts/test-image follows the Dockerfile"),
        SkippedCommand("swift format", "it would change the sources; scripts/test lints by the same rules"),
        SkippedCommand(
            "CARET_SEED=1234 swift test", "it runs tests, as what runs this one; the filter is looked up"),
        SkippedCommand(
            "CARET_PLAN=plan.txt swift test", "it runs tests, as what runs this one; the filter is looked up"),
        SkippedCommand("CARET_REWRITE=1 swift test", "it would change the sources; the filter is looked up"),
    ]

    private init(_ beginning: String, _ reason: String) {
        (self.beginning, self.reason) = (beginning, reason)
    }
}
