package import CaretFormat
package import CaretLog

package struct SQLiteMovableRows: SQLMovableRows {
    package let connection: Database

    package static func fault(_ fault: StoreFault) -> StoreMoveFault {
        .failed("SQLite failed: \(fault.unreadReason ?? "\(fault.historyRefusal)")")
    }

    package func check(_ progress: (CheckProgress) -> Void) throws(StoreMoveFault) -> CheckReport {
        do throws(DatabaseFault) {
            return try connection.check(nil, progress)
        } catch {
            throw StoreMoveFault(error)
        }
    }
}

extension StoreMoveFault {
    init(_ fault: DatabaseFault) { self = .failed("SQLite failed: \(fault.message)") }

    init(_ fault: OpeningFault) { self = .failed("\(fault)") }
}
