package import CaretCore
package import CaretLog

/// Rebases a change over logged changes, one after the other. Gives the same change as
/// `rebased(over:tie:)` with `.otherFirst`.
///
/// Most logged changes do not touch the rebased change. They only shift it, and the shift is one number. So a
/// push that is 50,000 revisions behind is rebased in a millisecond.
package struct LogRebase {
    /// The change before the shift.
    private var change: Change
    private var shift = 0
    /// Where the change begins and ends, with the shift.
    private var start = 0
    private var end = 0
    /// Shifting the change later reads its whole text again, so a long text is never shifted later.
    private let isShort: Bool

    private static let mostShiftedText = 4096

    package init(_ change: Change) {
        self.change = change
        isShort = change.edits.reduce(0) { $0 + $1.inserted.utf8 } <= LogRebase.mostShiftedText
        measure()
    }

    package mutating func rebase(over logged: LoggedChange) throws(ChangeError) {
        if change.isEmpty { return }
        if isShort, logged.edits.count == 1 {
            let edit = logged.edits[0].edit
            if edit.range.lowerBound.value > end { return }
            if edit.range.upperBound.value < start {
                let growth = edit.inserted.utf16 - logged.edits[0].removed.utf16
                shift += growth
                start += growth
                end += growth
                return
            }
        }
        change = result.rebased(over: try logged.change, tie: .otherFirst)
        shift = 0
        measure()
    }

    /// The change, rebased over all logged changes so far.
    package var result: Change {
        if shift == 0 { return change }
        do {
            return try Change(
                change.edits.map { edit in
                    let (start, end) = (edit.range.lowerBound.value, edit.range.upperBound.value)
                    return try Edit(Offset(start + shift)..<Offset(end + shift), edit.text)
                })
        } catch {
            preconditionFailure("a change does not fit after a shift by \(shift): \(error)")
        }
    }

    private mutating func measure() {
        start = change.edits.first?.range.lowerBound.value ?? 0
        end = change.edits.last?.range.upperBound.value ?? 0
    }
}

extension LoggedChange {
    /// Whether the edits form a change. If not, the log is damaged.
    var isChange: Bool { edits.count <= 1 || (try? change) != nil }
}
