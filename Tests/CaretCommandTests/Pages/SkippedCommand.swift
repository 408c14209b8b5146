import CaretConfig

/// The beginning of commands on a page that the tests do not run, and the reason. All commands with this
/// beginning are skipped.
struct SkippedCommand {
    let beginning: String
    let reason: String

    static let all = [
        SkippedCommand("scripts/test", "it runs this test"),
        SkippedCommand("scripts/run", "scripts/test-newcomer runs it, and each command that it prints"),
        SkippedCommand("caret watch welcome", "it needs a terminal; scripts/test-newcomer runs it in one"),
        SkippedCommand("caret sync ~/notes", "it runs until it is ended; SyncTests run it"),
        SkippedCommand("scripts/fuzz", "it is a separate phase of scripts/test"),
        SkippedCommand("scripts/mutation", "it runs tests on mutants, which takes an hour"),
        SkippedCommand(
            "scripts/install-packages static", "it changes the machine; scripts/test-image --full runs it"),
        SkippedCommand("tar -xf caret-", "scripts/test-package unpacks the archive"),
        SkippedCommand(
            "caret-\(Version.number)-linux-amd64/", "scripts/test-package runs the programs of the archive"),
        SkippedCommand(
            "export CARET_RELEASE=", "it is for the next commands; scripts/test-release makes such a folder"),
        SkippedCommand("curl -fO \"$CARET_RELEASE/", "scripts/test-release checks the files of a release"),
        SkippedCommand("minisign -V ", "scripts/test-release checks the signature"),
        SkippedCommand("sha256sum --check ", "scripts/test-release checks the checksums"),
        SkippedCommand("sudo ", "it changes the machine; scripts/test-unit checks the unit"),
        SkippedCommand(
            "swift build", "a long build; scripts/test-image tests the link step, and --full the build"),
        SkippedCommand(".build/release/caret-bench core", "it is a long measurement, not a test"),
        SkippedCommand("caretd --require-tokens", "it runs until it is ended; SignInPageTests run it"),
        SkippedCommand(
            "caret share notes/today", "it needs a server with share_links; SignInPageTests start one"),
        SkippedCommand("caretd --store", "it needs a PostgreSQL server; NodesTests start such servers"),
        SkippedCommand("caret move", "it needs a PostgreSQL server; MoveCommandTests start one"),
        SkippedCommand("swift test", "it runs the tests themselves"),
        SkippedCommand("systemd-analyze ", "scripts/test-unit runs it if it is installed"),
        SkippedCommand("systemctl ", "it needs systemd, which some machines do not have"),
        SkippedCommand("journalctl ", "it needs systemd, which some machines do not have"),
        SkippedCommand(
            "docker ", "the checks need no container engine; scripts/test-image follows the Dockerfile"),
        SkippedCommand("python3 -m venv", "scripts/test-python follows the guide of the Python client"),
        SkippedCommand("env/bin/", "scripts/test-python follows the guide of the Python client"),
        SkippedCommand(
            "npm install", "it needs a server at the usual port; client-package.mjs runs it with the file"),
        SkippedCommand(
            "curl --create-dirs", "it needs a server at the usual port; ClientPackageTests read the file"),
        SkippedCommand("npx esbuild", "it serves until it is ended; react.mjs makes the same bundle"),
        SkippedCommand("cp node_modules", "it needs an app; bundlers.mjs copies the file to one"),
        SkippedCommand("python3 type_lines.py", "TutorialTests read it from its page and run it"),
        SkippedCommand("swift format", "it would change the sources; scripts/test checks the same rules"),
        SkippedCommand(
            "CARET_SEED=1234 swift test", "it runs the tests themselves; another test checks its filter"),
        SkippedCommand(
            "CARET_PLAN=plan.txt swift test", "it runs the tests themselves; another test checks its filter"),
        SkippedCommand(
            "CARET_FULL=1 CARET_SEED=17 swift test",
            "it runs the tests themselves; another test checks its filter"),
        SkippedCommand(
            "CARET_SEED=17 node Tests/BrowserTests", "it needs a browser; scripts/test-browser runs this part"
        ),
        SkippedCommand(
            "CARET_REWRITE=1 swift test", "it would change the sources; another test checks its filter"),
    ]

    private init(_ beginning: String, _ reason: String) {
        (self.beginning, self.reason) = (beginning, reason)
    }
}
