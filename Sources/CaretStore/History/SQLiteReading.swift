package import CaretFormat

extension HistoryReader<Database> {
    package init(database: Database, generation: Generation, cache: HistoryCache? = nil) {
        self.init(SQLRows(database, generation), cache: cache)
    }
}

// What only upkeep of an SQLite file needs.
extension UpkeepReader<Database> {
    private var database: Database { reader.rows.connection }

    /// The number of pages of the file, and how many of them are free; nil if SQLite cannot read them.
    func space() -> (pages: Int, free: Int)? {
        let pages = try? database.first("PRAGMA page_count") { Int($0.integer(0)) }
        let free = try? database.first("PRAGMA freelist_count") { Int($0.integer(0)) }
        guard let pages, let free else { return nil }
        return (pages, free)
    }

    /// Whether removed text may remain in unused parts of the files.
    func isErasureDue() -> Bool {
        // If the row cannot be read, the next upkeep tries again.
        (try? database.isErasureDue()) ?? false
    }
}
