import CaretWire

extension ConfigurationKey {
    /// All keys, in the order of the file.
    package static let all = access + store + log + threads + lines + documents + rooms

    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private static let access = [
        ConfigurationKey(
            "data", .access, .folder(\.data),
            "The data folder. The server creates it if it is missing."),
        ConfigurationKey(
            "listen", .access, .addresses(\.listen),
            "The addresses to listen on. With port 0 the system chooses a free port."),
        ConfigurationKey(
            "admin_socket", .access, .yesNo(\.hasAdminSocket),
            "Whether to listen on DATA/caretd.sock too. Every client of that socket is admin."),
        ConfigurationKey(
            "require_tokens", .access, .yesNo(\.requiresTokens),
            "Whether clients need a token. If not, every client has full access."),
        ConfigurationKey(
            "token_keys", .access, .file(\.tokenKeys),
            isReloadable: true,
            "The file with the keys of signed tokens, as JWK or PEM. Empty: only stored tokens count."),
        ConfigurationKey(
            "token_audience", .access, .audience(\.tokenAudience),
            isReloadable: true,
            "The name of this server in signed tokens, which must be their audience (aud)."),
        ConfigurationKey(
            "token_max_life", .access,
            .time(
                \.tokenMaxLifeSeconds, counts: .seconds, plain: .seconds, 60...Limits.longestTokenLifeSeconds),
            isReloadable: true,
            "The longest time for which a signed token may be valid. One that is valid for longer is refused."
        ),
        ConfigurationKey(
            "guest_read", .access, .prefixes(\.guestRead),
            isReloadable: true,
            "Which documents clients without a token may read, by the beginnings of their names."),
        ConfigurationKey(
            "sign_in_header", .access, .header(\.signInHeader),
            "The field in which a proxy names the user of each request. Empty: no proxy signs in users."),
        ConfigurationKey(
            "sign_in_proxies", .access, .machines(\.signInProxies),
            "The addresses of the trusted proxies. From all others, the field is dropped."),
        ConfigurationKey(
            "sign_in_rights", .access, .rights(\.signInRights),
            "What the users of these proxies may do. {user} stands for the name of the user. Empty: nothing."),
        ConfigurationKey(
            "sign_in_life", .access,
            .time(\.signInLifeSeconds, counts: .seconds, plain: .seconds, 60...30 * 86_400),
            "How long a WebSocket or event stream of such a user lasts, until the proxy is asked again."),
        ConfigurationKey(
            "page_token_path", .access, .webPath(\.pageTokenPath),
            "The path where your backend, behind the same proxy, answers the server's page with a token."),
        ConfigurationKey(
            "share_links", .access, .yesNo(\.configuredLimits.allowsLinks),
            "Whether users may make links to documents that they may write, for 30 days at most."),
        ConfigurationKey(
            "allow_anyone_from_anywhere", .access, .yesNo(\.allowsAnyoneFromAnywhere),
            "Whether other machines get full access without a token."),
        ConfigurationKey(
            "web", .access, .yesNo(\.servesWeb),
            isReloadable: true,
            "Whether to serve HTTP and WebSocket too. Other machines must use a host listed in web_hosts."
        ),
        ConfigurationKey(
            "web_hosts", .access, .hosts(\.webHosts),
            isReloadable: true,
            "The server's names or addresses in URLs, besides localhost, 127.0.0.1 and [::1]."),
        ConfigurationKey(
            "web_origins", .access, .origins(\.webOrigins),
            isReloadable: true,
            "Other sites whose pages may use the server. The server's own pages need no entry."),
        ConfigurationKey(
            "tls_certificate", .access, .file(\.tlsCertificate),
            isReloadable: true, "The PEM file of the certificate for TLS, with its chain. Empty for no TLS."),
        ConfigurationKey(
            "tls_key", .access, .file(\.tlsKey),
            isReloadable: true, "The PEM file of its private key. Only the user of the server may read it."),
        ConfigurationKey(
            "tls", .access, .tlsUse(\.tls),
            isReloadable: true,
            "Whether clients must use TLS. auto: not on loopback, but at all other addresses."),
    ]

    private static let store = [
        ConfigurationKey(
            "store", .store, .database(\.store),
            "The PostgreSQL database for all texts. Empty for SQLite in the data folder."),
        ConfigurationKey(
            "node", .store, .node(\.node),
            "The name of this server among those that use the database. Empty for the name of the machine."),
        ConfigurationKey(
            "address", .store, .reached(\.address),
            "Where clients reach this server. Empty for an address that it listens at."),
        ConfigurationKey(
            "allow_unreplicated", .store, .yesNo(\.allowsUnreplicated),
            "Whether to accept a PostgreSQL server that has no synchronous standby."),
        ConfigurationKey(
            "keep_history", .store, .history(\.keepHistory),
            "How much history of each document to keep. The current text always stays."),
        ConfigurationKey(
            "keep_deleted", .store,
            .time(\.keepDeletedSeconds, counts: .seconds, plain: .days, 0...3_650 * 86_400),
            "How long a deleted document can be restored."),
        ConfigurationKey(
            "keep_pushers", .store,
            .time(\.configuredLimits.pusherDays, counts: .days, plain: .days, 1...3_650),
            "How long after a client's last push the server still recognises repeats of its pushes."),
        ConfigurationKey(
            "upkeep_every", .store,
            .time(\.upkeepSeconds, counts: .seconds, plain: .seconds, 1...7 * 86_400),
            "How often the store looks for data that it can merge or remove."),
    ]

    private static let log = [
        ConfigurationKey("log_format", .log, .logFormat(\.logFormat), "The format of a log line."),
        ConfigurationKey(
            "log_level", .log, .logLevel(\.logLevel), isReloadable: true,
            "Log lines below this level are not written."),
    ]

    private static let threads = [
        ConfigurationKey(
            "loops", .threads, .count(\.loops, 0...256),
            "Event loops that serve connections. 0 means one per core."),
        ConfigurationKey(
            "room_queues", .threads, .count(\.roomQueues, 0...256),
            "Queues that open documents run on. 0 means one per core."),
    ]

    private static let lines = [
        ConfigurationKey(
            "ping", .lines,
            .time(\.configuredLimits.pingSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            isReloadable: true,
            "After this long without input, the server sends a ping. After twice this time, it disconnects."),
        ConfigurationKey(
            "limit_line", .lines, .bytes(\.configuredLimits.announced.line, 64 << 10...1 << 30),
            isReloadable: true,
            "The longest line that a client may send: at least six times limit_document, plus 64 KiB."),
        ConfigurationKey(
            "limit_hello_line", .lines, .bytes(\.configuredLimits.helloLine, 8 << 10...64 << 10),
            isReloadable: true, "The longest first line (hello), before the client is known."),
        ConfigurationKey(
            "limit_hello_time", .lines,
            .time(\.configuredLimits.helloSeconds, counts: .seconds, plain: .seconds, 1...300),
            isReloadable: true, "The time within which the whole hello must arrive."),
        ConfigurationKey(
            "limit_line_time", .lines,
            .time(\.configuredLimits.lineSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            isReloadable: true, "The time within which a line must be complete. Long lines get more time."),
        ConfigurationKey(
            "limit_line_bytes_per_second", .lines,
            .bytes(\.configuredLimits.lineBytesPerSecond, 1 << 10...1 << 30),
            isReloadable: true, "A line may take limit_line_time, plus one second for each part of this size."
        ),
        ConfigurationKey(
            "limit_free_line", .lines, .bytes(\.configuredLimits.freeLine, 1 << 10...1 << 20),
            isReloadable: true, "An incomplete line up to this size does not count towards limit_line_budget."
        ),
        ConfigurationKey(
            "limit_line_budget", .lines, .bytes(\.configuredLimits.lineBudget, 1 << 20...64 << 30),
            isReloadable: true,
            "Memory for all incomplete lines. The first limit_free_line bytes of each line do not count."),
        ConfigurationKey(
            "limit_output_budget", .lines, .bytes(\.configuredLimits.outputBudget, 1 << 20...64 << 30),
            isReloadable: true,
            "Memory for all output that waits for clients. Without any left, long texts wait."),
        ConfigurationKey(
            "limit_waiting_output", .lines,
            .bytes(\.configuredLimits.waitingOutput, 64 << 10...1 << 30),
            isReloadable: true, "With more unsent output than this, the server stops reading from the client."
        ),
        ConfigurationKey(
            "limit_waiting_lines", .lines, .count(\.configuredLimits.waitingLines, 1...10_000),
            isReloadable: true,
            "With this many lines waiting for an earlier request, the server stops reading."),
        ConfigurationKey(
            "limit_waiting_line_bytes", .lines,
            .bytes(\.configuredLimits.waitingLineBytes, 64 << 10...1 << 30),
            isReloadable: true,
            "If waiting lines have more bytes than this, the server stops reading. One line may have more."),
        ConfigurationKey(
            "limit_taking_time", .lines,
            .time(\.configuredLimits.outputTimeoutSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            isReloadable: true, "A client that accepts no output for this long is disconnected."),
        ConfigurationKey(
            "limit_closing_time", .lines,
            .time(\.configuredLimits.closingSeconds, counts: .seconds, plain: .seconds, 1...60),
            isReloadable: true, "How long input is read and dropped after an error that closes a connection."),
        ConfigurationKey(
            "limit_closing_bytes", .lines, .bytes(\.configuredLimits.closingBytes, 0...64 << 20),
            isReloadable: true, "How much input is read and dropped after an error that closes a connection."),
        ConfigurationKey(
            "limit_faults", .lines, .count(\.configuredLimits.faults, 1...10_000),
            isReloadable: true, "This many invalid lines within limit_fault_time end a connection."),
        ConfigurationKey(
            "limit_fault_time", .lines,
            .time(\.configuredLimits.faultSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            isReloadable: true, "The period for which limit_faults counts invalid lines."),
    ]

    private static let documents = [
        ConfigurationKey(
            "limit_document", .documents,
            .bytes(\.configuredLimits.announced.document, 1 << 10...64 << 20),
            "The largest text of a document, in bytes of UTF-8."),
        ConfigurationKey(
            "limit_edits", .documents, .count(\.configuredLimits.announced.edits, 1...1_000_000),
            "The most edits in one push."),
        ConfigurationKey(
            "limit_user_connections", .documents, .count(\.configuredLimits.userConnections, 1...1_000_000),
            "Connections that one user may have at once, if tokens are required."),
        ConfigurationKey(
            "limit_guest_connections", .documents, .count(\.configuredLimits.guestConnections, 1...1_000_000),
            "Connections without a token that one address may have at once (guest_read)."),
        ConfigurationKey(
            "limit_documents", .documents, .count(\.configuredLimits.announced.documents, 1...100_000),
            isReloadable: true, "The most documents that a connection may have open at once."),
        ConfigurationKey(
            "limit_selections", .documents, .count(\.configuredLimits.announced.selections, 1...100_000),
            isReloadable: true, "The most selections of one session in one document."),
        ConfigurationKey(
            "limit_room_selections", .documents,
            .count(\.configuredLimits.roomSelections, 1...10_000_000),
            "The most selections of all sessions in one document."),
        ConfigurationKey(
            "limit_notes", .documents, .count(\.configuredLimits.notes, 0...100_000),
            "How many notes a document may have."),
        ConfigurationKey(
            "limit_note_bytes", .documents, .bytes(\.configuredLimits.noteBytes, 0...64 << 20),
            "The size of all notes of a document together."),
        ConfigurationKey(
            "limit_pushes_per_second", .documents, .count(\.pushesPerSecond, 1...1_000_000),
            isReloadable: true,
            "Pushes per second on a connection; twice as many in a burst. Applies only with require_tokens."),
        ConfigurationKey(
            "limit_rebase", .documents, .count(\.configuredLimits.rebase, 1_000...1_000_000_000),
            "The most steps, revisions times (edits + 1), to rebase a push, or a user's pushes in 10 s."),
        ConfigurationKey(
            "limit_page", .documents, .bytes(\.configuredLimits.page, 4 << 10...64 << 20),
            "The size of a page of documents or revisions. A page has at least one item."),
        ConfigurationKey(
            "limit_peer_every", .documents,
            .time(
                \.configuredLimits.peerMilliseconds, counts: .milliseconds, plain: .milliseconds, 0...60_000),
            "A client receives the carets of others in a document at most once in this time."),
        ConfigurationKey(
            "limit_document_every", .documents,
            .time(
                \.configuredLimits.documentMilliseconds, counts: .milliseconds, plain: .milliseconds,
                0...60_000),
            "A follower of the document list receives at most one update about a document in this time."),
    ]

    private static let rooms = [
        ConfigurationKey(
            "limit_window", .documents, .bytes(\.configuredLimits.windowBytes, 16 << 10...1 << 30),
            "Memory for recent revisions of an open document. Older revisions are read from the store."
        ),
        ConfigurationKey(
            "limit_window_budget", .documents, .bytes(\.configuredLimits.windowBudget, 1 << 20...64 << 30),
            "Memory for recent revisions of all open documents. If it is full, each document keeps fewer."),
        ConfigurationKey(
            "limit_text_at_once", .documents, .bytes(\.configuredLimits.textEncodedAtOnce, 0...4 << 20),
            "A longer text that is read is encoded in the background, so that nobody else waits for it."),
        ConfigurationKey(
            "limit_text_cache", .documents, .bytes(\.configuredLimits.textCache, 0...64 << 30),
            "Memory for texts that were read recently. The server sends them again without a read from disk."
        ),
        ConfigurationKey(
            "limit_credit", .documents, .bytes(\.configuredLimits.creditBytes, 1 << 10...64 << 20),
            "The most bytes of a document that wait to be sent to a session. A single line may be longer."),
        ConfigurationKey(
            "limit_behind", .documents, .count(\.configuredLimits.sessionBehind, 1...10_000_000),
            "A session that is more revisions behind than this gets the whole text instead of changes."),
        ConfigurationKey(
            "limit_segment", .documents, .count(\.configuredLimits.segmentChanges, 1...4_096),
            "The most changes of one document in one commit."),
        ConfigurationKey(
            "limit_rest_time", .documents,
            .time(
                \.configuredLimits.checkDelayMilliseconds, counts: .milliseconds, plain: .milliseconds,
                100...3_600_000),
            "After this long without a change, the server sends each client a check of the text."),
        ConfigurationKey(
            "limit_retry_time", .documents,
            .time(
                \.configuredLimits.retryMilliseconds, counts: .milliseconds, plain: .milliseconds, 10...60_000
            ),
            "The time before the server retries a call that the store could not answer."),
        ConfigurationKey(
            "limit_order_time", .documents,
            .time(\.configuredLimits.orderTimeoutSeconds, counts: .seconds, plain: .seconds, 1...3_600),
            "How long requests wait for a document that is being renamed or deleted."),
        ConfigurationKey(
            "limit_idle_room_time", .documents,
            .time(\.configuredLimits.idleRoomSeconds, counts: .seconds, plain: .seconds, 0...86_400),
            "How long a document stays in memory after the last client has closed it."),
    ]
}
