import CaretFormat

/// Checks that a commit in PostgreSQL is as safe as an ack promises.
enum ServerCheck {
    /// Without a synchronous standby, throws unless `allowsUnreplicated`. Returns the list of synchronous standbys.
    @discardableResult
    static func check(
        _ connection: PostgresConnection, allowsUnreplicated: Bool
    ) throws(PostgresOpeningFault) -> String {
        let found: (version: Int64, versionText: String, settings: [(String, String)], standbys: String)
        do throws(PostgresFault) {
            let row = try connection.run(
                """
                SELECT current_setting('server_version_num')::bigint, current_setting('server_version'),
                    current_setting('fsync'), current_setting('full_page_writes'),
                    current_setting('synchronous_standby_names')
                """
            ).first
            guard let row else { throw .lost("PostgreSQL does not tell its settings") }
            found = (
                try row.integer(0), row.text(1), [("fsync", row.text(2)), ("full_page_writes", row.text(3))],
                row.text(4)
            )
        } catch {
            throw PostgresOpeningFault(error)
        }
        if found.version < 150_000 { throw .serverTooOld(found: found.versionText) }
        for (name, value) in found.settings where value != "on" {
            throw .unsafeSetting(name: name, value: value)
        }
        if found.standbys.isEmpty && !allowsUnreplicated { throw .notReplicated }
        return found.standbys
    }
}
