import CaretWire

extension ConfigurationKey {
    /// Every key, in the order of the file.
    package static let all = doors + store + log + work + lines + documents + rooms

    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private static let doors = [
        ConfigurationKey(
            "data", .doors, .folder(\.data),
            "The folder of everything that is kept; made where it is missing."),
        ConfigurationKey(
            "listen", .doors, .addresses(\.listen),
            "Where connections are taken; port 0 lets the system choose."),
        ConfigurationKey(
            "admin_socket", .doors, .yesNo(\.hasAdminSocket),
            "Whether caretd.sock in the data folder is a listener for this system user, who is admin."),
        ConfigurationKey(
            "require_tokens", .doors, .yesNo(\.requiresTokens),
            "Whether a token is needed; without them everybody may do everything."),
        ConfigurationKey(
            "allow_anyone_from_anywhere", .doors, .yesNo(\.allowsAnyoneFromAnywhere),
            "Whether other machines are served without tokens."),
    ]

    private static let store = [
        ConfigurationKey(
            "keep_history", .store, .history(\.keepHistory),
            "How much of each document's history is kept; its text always is."),
        ConfigurationKey(
            "keep_deleted", .store,
            .time(\.keepDeletedSeconds, counts: .seconds, plain: .days, 0...3_650 * 86_400),
            "How long a deleted document may be brought back."),
        ConfigurationKey(
            "keep_pushers", .store,
            .time(\.configuredLimits.pusherDays, counts: .days, plain: .days, 1...3_650),
            "How long a client's pushes are known again after its last one."),
        ConfigurationKey(
            "upkeep_every", .store,
            .time(\.upkeepSeconds, counts: .seconds, plain: .seconds, 1...7 * 86_400),
            "How often the store looks for what need not be kept any longer."),
    ]

    private static let log = [
        ConfigurationKey("log_format", .log, .logFormat(\.logFormat), "How a line is written."),
        ConfigurationKey("log_level", .log, .logLevel(\.logLevel), "The least that is written."),
    ]

    private static let work = [
        ConfigurationKey(
            "loops", .work, .count(\.loops, 0...256),
            "Loops that serve connections; 0 is one a core."),
        ConfigurationKey(
            "room_queues", .work, .count(\.roomQueues, 0...256),
            "Queues that open documents run on; 0 is one a core."),
    ]

    private static let lines = [
        ConfigurationKey(
            "ping", .lines,
            .time(\.configuredLimits.pingSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "Silence after which the server pings; after as much again it closes."),
        ConfigurationKey(
            "limit_line", .lines, .bytes(\.configuredLimits.announced.line, 64 << 10...1 << 30),
            "A client's line; a whole text of the largest document must fit, each byte escaped to six."),
        ConfigurationKey(
            "limit_hello_line", .lines, .bytes(\.configuredLimits.helloLine, 8 << 10...64 << 10),
            "The first line, when nobody is known yet."),
        ConfigurationKey(
            "limit_hello_time", .lines,
            .time(\.configuredLimits.helloSeconds, counts: .seconds, plain: .seconds, 1...300),
            "Until the whole of hello must have come."),
        ConfigurationKey(
            "limit_line_time", .lines,
            .time(\.configuredLimits.lineSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "Until a line that was begun must be through, and longer by its size."),
        ConfigurationKey(
            "limit_line_bytes_per_second", .lines,
            .bytes(\.configuredLimits.lineBytesPerSecond, 1 << 10...1 << 30),
            "How much of a line is given a second more."),
        ConfigurationKey(
            "limit_free_line", .lines, .bytes(\.configuredLimits.freeLine, 1 << 10...1 << 20),
            "What a line that was begun may hold without drawing on limit_line_budget."),
        ConfigurationKey(
            "limit_line_budget", .lines, .bytes(\.configuredLimits.lineBudget, 1 << 20...64 << 30),
            "What all lines that were begun may hold together beyond that."),
        ConfigurationKey(
            "limit_waiting_output", .lines,
            .bytes(\.configuredLimits.waitingOutput, 64 << 10...1 << 30),
            "Output that waits for a client, over which the client is not read."),
        ConfigurationKey(
            "limit_waiting_lines", .lines, .count(\.configuredLimits.waitingLines, 1...10_000),
            "Lines that wait behind a request, over which the client is not read."),
        ConfigurationKey(
            "limit_waiting_line_bytes", .lines,
            .bytes(\.configuredLimits.waitingLineBytes, 64 << 10...1 << 30),
            "What such lines may hold together; one may be longer."),
        ConfigurationKey(
            "limit_taking_time", .lines,
            .time(\.configuredLimits.takingSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "Until a client is cut that takes nothing."),
        ConfigurationKey(
            "limit_closing_time", .lines,
            .time(\.configuredLimits.closingSeconds, counts: .seconds, plain: .seconds, 1...60),
            "For how long input is dropped behind a closing error, so that the error arrives."),
        ConfigurationKey(
            "limit_closing_bytes", .lines, .bytes(\.configuredLimits.closingBytes, 0...64 << 20),
            "How much input is dropped behind a closing error."),
        ConfigurationKey(
            "limit_faults", .lines, .count(\.configuredLimits.faults, 1...10_000),
            "Lines that are no messages, of which this one closes where they come in limit_fault_time."),
        ConfigurationKey(
            "limit_fault_time", .lines,
            .time(\.configuredLimits.faultSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "The time in which they are counted."),
    ]

    private static let documents = [
        ConfigurationKey(
            "limit_document", .documents,
            .bytes(\.configuredLimits.announced.document, 1 << 10...64 << 20),
            "A document's text, in UTF-8."),
        ConfigurationKey(
            "limit_edits", .documents, .count(\.configuredLimits.announced.edits, 1...1_000_000),
            "Edits of one push."),
        ConfigurationKey(
            "limit_documents", .documents, .count(\.configuredLimits.announced.documents, 1...100_000),
            "Documents that a connection has open at once."),
        ConfigurationKey(
            "limit_selections", .documents, .count(\.configuredLimits.announced.selections, 1...100_000),
            "Selections of one session in one document."),
        ConfigurationKey(
            "limit_room_selections", .documents,
            .count(\.configuredLimits.roomSelections, 1...10_000_000),
            "Selections of all sessions in one document."),
        ConfigurationKey(
            "limit_pushes_per_second", .documents, .count(\.pushesPerSecond, 1...1_000_000),
            "Pushes of a connection, with bursts of twice that; counted only where tokens are required."),
        ConfigurationKey(
            "limit_rebase", .documents, .count(\.configuredLimits.rebase, 1_000...1_000_000_000),
            "Work of one push: revisions behind, times its edits and one; over it the base is too old."),
        ConfigurationKey(
            "limit_page", .documents, .bytes(\.configuredLimits.page, 4 << 10...64 << 20),
            "A page of a list of documents or revisions; never less than one item."),
        ConfigurationKey(
            "limit_peer_every", .documents,
            .time(
                \.configuredLimits.peerMilliseconds, counts: .milliseconds, plain: .milliseconds, 0...60_000),
            "The least time between two tellings of one caret to a client that is behind."),
        ConfigurationKey(
            "limit_document_every", .documents,
            .time(
                \.configuredLimits.documentMilliseconds, counts: .milliseconds, plain: .milliseconds,
                0...60_000),
            "The least time between two tellings of one document to who follows the list."),
    ]

    private static let rooms = [
        ConfigurationKey(
            "limit_window", .documents, .bytes(\.configuredLimits.windowBytes, 16 << 10...1 << 30),
            "Revisions of an open document that are kept at hand; older ones are read from the store."
        ),
        ConfigurationKey(
            "limit_window_budget", .documents, .bytes(\.configuredLimits.windowBudget, 1 << 20...64 << 30),
            "What all open documents keep at hand together; where that is too little, each keeps less."),
        ConfigurationKey(
            "limit_credit", .documents, .bytes(\.configuredLimits.creditBytes, 1 << 10...64 << 20),
            "What a document hands a connection beyond what it has taken, or one line."),
        ConfigurationKey(
            "limit_behind", .documents, .count(\.configuredLimits.sessionBehind, 1...10_000_000),
            "Revisions that a session may fall behind until it is handed the text."),
        ConfigurationKey(
            "limit_segment", .documents, .count(\.configuredLimits.segmentChanges, 1...4_096),
            "Changes of one document that are committed at once."),
        ConfigurationKey(
            "limit_rest_time", .documents,
            .time(
                \.configuredLimits.restMilliseconds, counts: .milliseconds, plain: .milliseconds,
                100...3_600_000),
            "Without a change for so long a document rests, and its text is checked."),
        ConfigurationKey(
            "limit_retry_time", .documents,
            .time(
                \.configuredLimits.retryMilliseconds, counts: .milliseconds, plain: .milliseconds, 10...60_000
            ),
            "Until the store is asked again for what it could not tell."),
        ConfigurationKey(
            "limit_order_time", .documents,
            .time(\.configuredLimits.orderSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "For how long requests wait for a document that is being renamed or deleted."),
        ConfigurationKey(
            "limit_idle_room_time", .documents,
            .time(\.configuredLimits.idleRoomSeconds, counts: .seconds, plain: .seconds, 0...86_400),
            "For how long a document stays at hand that nobody has open."),
    ]
}
