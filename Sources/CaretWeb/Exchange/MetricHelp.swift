/// The sentences that describe the metrics of `GET /metrics`. Prometheus shows them beside the names.
enum MetricHelp {
    /// The line that describes a metric. Empty if there is no sentence for it.
    static func line(for metric: String, of name: String) -> String {
        texts[name].map { "# HELP \(metric) \($0)\n" } ?? ""
    }

    /// The sentence for each counter and latency, by its name in docs/watching.md.
    private static let texts = [
        "start_time": "When the server started, in seconds since 1970-01-01 UTC.",
        "connections": "Connections that are open now.",
        "open_rooms": "Documents that are in memory now.",
        "nodes": "Other servers over the same database that are heard now.",
        "news_age_ms": "For how many milliseconds the oldest unsent news for other servers have waited.",
        "connections_opened": "Connections accepted.",
        "connections_closed": "Connections ended.",
        "connections_refused": "Connections for which no descriptor or memory was left.",
        "tls_connections": "Connections with TLS that sent something after their handshake.",
        "tls_failures": "Connections closed because TLS failed, or because only one side uses it.",
        "rooms_opened": "Documents loaded into memory.",
        "rooms_closed": "Documents unloaded from memory.",
        "pushes": "Pushes that reached a document, repeats included.",
        "rebases": "Pushes that were rebased over other changes before their commit.",
        "commits": "Transactions synced to disk.",
        "changes": "Pushes committed.",
        "deliveries": "Changes sent to sessions, counted once per session.",
        "bytes_in": "Bytes read from connections.",
        "bytes_out": "Bytes that connections accepted.",
        "slow_readers": "How often a session lagged so far that its changes were read from the store.",
        "waits_for_output":
            "How often long texts waited because limit_output_budget was used up.",
        "reads_from_memory": "Reads of a newest text that the server had in memory.",
        "reads_from_store": "Reads of a newest text that was read from the store.",
        "store_conflicts": "Appends that met a change of another server, and were tried again.",
        "store_unknown_outcomes": "Writes whose outcome was unknown until the server asked again.",
        "store_reconnections": "Connections to PostgreSQL made after one was lost.",
        "bus_sent": "Messages sent to other servers.",
        "bus_heard": "Messages heard from other servers.",
        "bus_missed": "How often a message of another server was lost.",
        "news_sent": "News in the messages sent to other servers.",
        "news_heard": "News in the messages heard from other servers.",
        "nodes_found": "How often another server began to be heard.",
        "nodes_lost": "How often another server fell silent or stopped.",
        "refused": "Errors sent, and requests refused by their host or origin, by their code.",
        "commit": "Time from the start of a commit until it is synced to disk.",
        "ack": "Time from reading a push until its ack is passed to the connection.",
        "delivery": "Time from the sync of a commit until connections that keep up get its changes.",
        "opening": "Time from reading an `open` until its answer is passed to the connection.",
    ]
}
