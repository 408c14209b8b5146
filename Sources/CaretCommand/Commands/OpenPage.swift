import CaretClient
import CaretWire
import FoundationEssentials
import Glibc

/// Opens the page of the server in a browser.
struct OpenPage: Subcommand {
    static let description = CommandDescription(
        "open", "opens the page of the server in a browser, and prints its address",
        details: """
            With DOC, the page shows that document, and with a revision its history. The browser is $BROWSER or xdg-open. \
            Without a browser, if the output is not a terminal, and with --json, the command only prints the address.
            """,
        arguments: [
            Argument(
                "DOC[@REV]", .document, isOptional: true, "the document, with an optional revision")
        ])

    private let point: DocumentPoint?

    init(_ arguments: Arguments) throws(UsageFault) {
        point = arguments.optional(0) == nil ? nil : try arguments.point(0)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let url = try await context.withRunningServer(about: point?.document) { client in
            let welcome = try await client.welcome()
            let page = try PageAddress(served: welcome.page?.string, at: client.address)
            guard let point else { return page.text }
            if point.revision != .head {
                return page.text(of: point.document, at: try await client.read(point).revision)
            }
            return page.text(of: try await client.entry(of: point.document).name, at: nil)
        }
        context.report(.object(["url": .text(url)]), url)
        if context.screen == nil || context.isJSON { return .done }
        guard let browser = OpenPage.browser(ProcessInfo.processInfo.environment) else {
            context.note("no browser was found; set BROWSER to its command")
            return .done
        }
        let status = try await ForegroundProgram(["sh", "-c", browser + " \"$1\"", "sh", url]).end()
        if status != 0 {
            throw Failure("the browser exited with status \(status)", advice: "open the address yourself")
        }
        return .done
    }

    /// A shell command. Nil if there is no browser.
    private static func browser(_ environment: [String: String]) -> String? {
        if let command = environment["BROWSER"], !command.isEmpty { return command }
        // Without a display, xdg-open could only start a browser in this terminal, if there is one at all.
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let isInstalled = folders.contains { access("\($0)/xdg-open", X_OK) == 0 }
        return hasDisplay && isInstalled ? "xdg-open" : nil
    }
}
