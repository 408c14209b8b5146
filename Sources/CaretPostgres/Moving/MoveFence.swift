import CaretFormat

/// Makes a database refuse all writes from the end of a move on.
///
/// The triggers also stop a server that was cut off during the move, and servers of other versions.
enum MoveFence {
    /// The SQLSTATE of a refusal. PostgreSQL itself never uses it.
    enum State: String {
        case moved = "CA001"
        /// The move has not ended.
        case moving = "CA002"
    }

    /// The tables that a server writes to.
    static let tables = ["node", "store", "lane"] + MovedTable.allCases.map(\.rawValue)

    /// Lets only a second run of the move, or its `--undo`, use the database.
    static func raise(_ note: MoveNote, _ connection: PostgresConnection) throws(PostgresFault) {
        try connection.execute("CREATE TABLE caret_moved (note text NOT NULL, state text NOT NULL)")
        try connection.run(
            "INSERT INTO caret_moved VALUES ($1, $2)",
            [.text(note.unfinished), .text(State.moving.rawValue)])
        try connection.execute(
            """
            CREATE FUNCTION caret_moved() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
                RAISE EXCEPTION USING MESSAGE = (SELECT note FROM caret_moved LIMIT 1),
                    ERRCODE = (SELECT state FROM caret_moved LIMIT 1);
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

    /// Records that the move has ended.
    static func keep(_ note: MoveNote, _ connection: PostgresConnection) throws(PostgresFault) {
        _ = try connection.run(
            "UPDATE caret_moved SET note = $1, state = $2 RETURNING \(PostgresConnection.durably)",
            [.text(note.description), .text(State.moved.rawValue)])
    }

    /// The note of a move that has not ended.
    static func unfinishedMove(_ connection: PostgresConnection) throws(PostgresFault) -> String? {
        let table = try connection.run("SELECT to_regclass('caret_moved')::text").first
        if table?.isNull(0) != false { return nil }
        return try connection.run(
            "SELECT note FROM caret_moved WHERE state = $1", [.text(State.moving.rawValue)]
        ).first?.text(0)
    }

    static func lower(_ connection: PostgresConnection) throws(PostgresFault) {
        try connection.execute(
            "DROP FUNCTION IF EXISTS caret_moved CASCADE; DROP TABLE IF EXISTS caret_moved")
    }
}
