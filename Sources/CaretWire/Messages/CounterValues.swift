extension CounterValues {
    /// The counters that show a current state, and can shrink. All other counters only grow.
    package static let levels: Set<WireString> = ["connections", "open_rooms", "nodes", "news_age_ms"]
}
