import CaretWire

/// Settings that contradict each other, though each value is allowed.
package enum Contradiction: Equatable, Sendable, CustomStringConvertible {
    /// Other machines could do everything, and no setting allows that.
    case openToAnyone(ListenAddress)
    /// Tokens are required, but another setting lets anyone in without one.
    case tokensAndAnyone
    /// No client could connect to the server.
    case noDoor
    case sameAddress(ListenAddress)
    case socketPathTooLong(bytes: Int)
    case lineBelowDocument(line: Int, least: Int)
    case budgetBelowLine(budget: Int, least: Int)
    case roomBelowSession(room: Int, session: Int)

    /// The most bytes that the system allows for the path of a Unix socket.
    static let longestSocketPath = 107

    package static func all(in settings: Settings) -> [Contradiction] {
        doors(settings) + limits(settings.limits)
    }

    private static func doors(_ settings: Settings) -> [Contradiction] {
        var found: [Contradiction] = []
        let remote = settings.listen.first { !$0.isLoopback }
        switch (settings.requiresTokens, settings.allowsAnyoneFromAnywhere) {
        case (true, true): found.append(.tokensAndAnyone)
        case (false, false): if let remote { found.append(.openToAnyone(remote)) }
        case (true, false), (false, true): break
        }
        if settings.listen.isEmpty, !settings.hasAdminSocket { found.append(.noDoor) }
        let fixed = settings.listen.filter { $0.port != 0 }
        if let index = fixed.indices.first(where: { fixed[..<$0].contains(fixed[$0]) }) {
            found.append(.sameAddress(fixed[index]))
        }
        let path = settings.adminSocketPath.utf8.count
        if settings.hasAdminSocket, path > longestSocketPath { found.append(.socketPathTooLong(bytes: path)) }
        return found
    }

    private static func limits(_ limits: Limits) -> [Contradiction] {
        var found: [Contradiction] = []
        // A line from the server needs as much room for the longest text with every byte escaped.
        let line = limits.announced.serverLine
        if limits.announced.line < line {
            found.append(.lineBelowDocument(line: limits.announced.line, least: line))
        }
        // A line uses the budget in steps of `freeLine`.
        let budget = limits.announced.line / limits.freeLine * limits.freeLine
        if limits.lineBudget < budget {
            found.append(.budgetBelowLine(budget: limits.lineBudget, least: budget))
        }
        if limits.roomSelections < limits.announced.selections {
            found.append(
                .roomBelowSession(room: limits.roomSelections, session: limits.announced.selections))
        }
        return found
    }

    /// The key that the message names first.
    var key: String {
        switch self {
        case .openToAnyone, .noDoor, .sameAddress: "listen"
        case .tokensAndAnyone: "allow_anyone_from_anywhere"
        case .socketPathTooLong: "data"
        case .lineBelowDocument: "limit_line"
        case .budgetBelowLine: "limit_line_budget"
        case .roomBelowSession: "limit_room_selections"
        }
    }

    package var description: String {
        switch self {
        case .openToAnyone(let address):
            "listen: other machines reach \(address), and everybody may do everything there; set require_tokens "
                + "to true, or allow_anyone_from_anywhere if that is meant"
        case .tokensAndAnyone:
            "allow_anyone_from_anywhere is true, and so is require_tokens; set one of them to false"
        case .noDoor: "listen is empty and admin_socket is false; nobody could reach this server"
        case .sameAddress(let address): "listen: \(address) is there twice"
        case .socketPathTooLong(let bytes):
            "data: the path of caretd.sock in it has \(bytes) bytes, the system takes \(Self.longestSocketPath); "
                + "choose a shorter one, or set admin_socket to false"
        case .lineBelowDocument(let line, let least):
            "limit_line: \(SizeText.written(line)) is less than \(SizeText.written(least)), in which a whole text "
                + "of limit_document fits, each byte escaped to six"
        case .budgetBelowLine(let budget, let least):
            "limit_line_budget: \(SizeText.written(budget)) is less than \(SizeText.written(least)), which one "
                + "line of limit_line draws by steps of limit_free_line"
        case .roomBelowSession(let room, let session):
            "limit_room_selections: \(room) is less than limit_selections, which is \(session)"
        }
    }
}
