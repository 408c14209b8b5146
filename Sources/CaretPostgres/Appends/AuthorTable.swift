import CaretFormat
import CaretLog

/// The numbers of authors. An author keeps its number for ever, so a known number needs no check.
struct AuthorTable {
    private(set) var known: AuthorCache

    init(known: AuthorCache = AuthorCache()) { self.known = known }

    /// The numbers of these pushers. New pushers get a number, in a transaction of its own unless the caller has begun
    /// one. If that one is rolled back, the table must be dropped.
    mutating func numbers(
        of pushers: Set<Pusher>, _ connection: PostgresConnection
    ) throws(PostgresFault) -> [Pusher: Int64] {
        var (numbers, unknown): ([Pusher: Int64], [Pusher]) = ([:], [])
        for pusher in pushers {
            if let number = known[pusher] { numbers[pusher] = number } else { unknown.append(pusher) }
        }
        if unknown.isEmpty { return numbers }
        // Sorted, so that two servers which add the same authors never wait for each other.
        unknown.sort { ($0.user, $0.client) < ($1.user, $1.client) }
        let names: [PostgresValue] = [
            .arrayOfBytes(unknown.map(\.user.utf8)), .arrayOfBytes(unknown.map(\.client.utf8)),
        ]
        try connection.run(
            """
            INSERT INTO author (username, client) SELECT * FROM unnest($1::bytea[], $2::bytea[])
            ON CONFLICT DO NOTHING
            """, names)
        let found = try connection.run(
            """
            SELECT id, username, client FROM author
            JOIN unnest($1::bytea[], $2::bytea[]) AS asked (username, client) USING (username, client)
            """, names)
        for row in found.rows {
            let pusher = row.columns.pusher(1)
            let number = try row.integer(0)
            numbers[pusher] = number
            known.keep(pusher, number)
        }
        return numbers
    }
}
