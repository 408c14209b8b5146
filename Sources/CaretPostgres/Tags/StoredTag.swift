import CaretCore
import CaretFormat
import CaretLog

/// A row of `tag`.
enum StoredTag {
    static let columns = "name, revision, username, time"

    static func tag(_ row: PostgresRow) throws(PostgresFault) -> Tag {
        guard let name = String(validating: row.bytes(0), as: UTF8.self).flatMap({ TagName($0) }) else {
            throw .damaged
        }
        return Tag(
            name: name, revision: try row.revision(1), user: ByteString(utf8: row.bytes(2)),
            time: try row.integer(3))
    }
}
