import CaretCore
import CaretLog

/// A row of `tag`.
enum StoredTag {
    static let columns = "name, revision, username, time"

    /// Nil if the row is damaged.
    static func tag(_ row: PostgresRow) -> Tag? {
        guard let name = String(validating: row.bytes(0), as: UTF8.self).flatMap({ TagName($0) }),
            row.integer(1) >= 0
        else { return nil }
        return Tag(
            name: name, revision: Revision(Int(row.integer(1))), user: ByteString(utf8: row.bytes(2)),
            time: row.integer(3))
    }
}
