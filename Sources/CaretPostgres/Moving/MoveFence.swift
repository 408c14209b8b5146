import CaretFormat

/// Makes a database refuse all writes after a move.
///
/// The triggers also stop a server that was cut off during the move, and servers of other versions.
enum MoveFence {
    /// The SQLSTATE of the refusal. PostgreSQL itself never uses it.
    static let state = "CA001"

    /// The tables that a server writes to.
    static let tables = ["node", "store", "lane"] + MovedTable.allCases.map(\.rawValue)

    static func raise(_ note: MoveNote, _ connection: PostgresConnection) throws(PostgresFault) {
        try connection.execute("CREATE TABLE caret_moved (note text NOT NULL)")
        try connection.run("INSERT INTO caret_moved VALUES ($1)", [.text(note.description)])
        try connection.execute(
            """
            CREATE FUNCTION caret_moved() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
                RAISE EXCEPTION USING MESSAGE = (SELECT note FROM caret_moved LIMIT 1), ERRCODE = '\(state)';
            END $body$
            """)
        for table in tables {
            try connection.execute(
                """
                CREATE TRIGGER caret_moved BEFORE INSERT OR UPDATE OR DELETE ON \(table)
                EXECUTE FUNCTION caret_moved()
                """)
        }
    }
}
