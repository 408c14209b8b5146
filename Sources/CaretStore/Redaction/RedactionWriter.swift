import CaretCore
package import CaretFormat
import CaretLog

extension Database {
    /// Whether removed text may remain in unused parts of the files.
    func isErasureDue() throws(DatabaseFault) -> Bool {
        try first("SELECT erasure IS NOT NULL FROM store") { $0.integer(0) == 1 } ?? false
    }
}

extension HistoryWriter {
    /// Replaces a document's history by one without the passage. Returns false if the document has changed
    /// since the plan was made.
    package mutating func redact(_ plan: RedactionPlan, at time: Int64) throws(StoreFault) -> Bool {
        var row = try document(plan.old.id)
        guard row.entry.epoch.document == plan.old.epoch.document, row.entry.head == plan.old.head,
            row.entry.start == plan.old.start
        else { return false }
        let id = Value.integer(plan.old.id.value)
        try database.write("DELETE FROM segment WHERE document = ?", [id])
        try database.write("DELETE FROM snapshot WHERE document = ?", [id])
        for segment in plan.segments { try insert(segment, of: plan.old.id) }
        for snapshot in plan.snapshots { try write(snapshot) }
        row.entry.epoch = Epoch(generation: generation, document: plan.epoch)
        (row.entry.length, row.chain) = (plan.length, plan.chain)
        row.snapshot = plan.snapshots.map(\.revision).max() ?? 0
        try save(row)
        try database.write("UPDATE store SET erasure = ?", [.integer(time)])
        forgetHistory(of: plan.old.id)
        return true
    }
}
