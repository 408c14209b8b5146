import CaretFormat

/// Reads and renews the generation in the row of the store.
enum StoreGeneration {
    enum Renewal {
        case kept
        case created
        case renewed
    }

    /// Reads the generation, and creates the row if it is missing. If the cluster, its timeline or the place of the store
    /// has changed, the database may have been restored from a copy, and acked changes may be missing. Then the generation
    /// is renewed.
    static func read(
        _ connection: PostgresConnection, _ cluster: Cluster
    ) throws(PostgresFault) -> (UInt64, Renewal) {
        let new = UInt64.random(in: .min ... .max)
        let values = [.integer(Int64(bitPattern: new))] + cluster.values
        let created = try connection.run(
            """
            INSERT INTO store (generation, cluster, timeline, place) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
            """, values)
        if created.changes > 0 { return (new, .created) }
        let renewed = try connection.run(
            """
            UPDATE store SET generation = $1, cluster = $2, timeline = $3, place = $4
            WHERE cluster <> $2 OR timeline <> $3 OR place <> $4 AND place <> 0
            """, values)
        if renewed.changes > 0 { return (new, .renewed) }
        try connection.run("UPDATE store SET place = $1 WHERE place = 0", [.integer(cluster.place)])
        let row = try connection.run("SELECT generation FROM store").first
        guard let row else { throw .lost("the row of the store is missing") }
        return (UInt64(bitPattern: try row.integer(0)), .kept)
    }
}
