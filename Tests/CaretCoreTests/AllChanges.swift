import CaretCore
import TestSupport

/// All possible changes of short texts, apart from the letters that they insert.
enum AllChanges {
    /// All changes with at most two edits, for a text of `length` code units. Each edit inserts at most two
    /// letters.
    static func over(_ length: Int) -> [Change] {
        let edits = allEdits(over: length)
        var changes = [Change()] + edits.map { SampleChange.change([$0]) }
        for first in edits {
            for second in edits where second.range.lowerBound > first.range.upperBound {
                changes.append(SampleChange.change([first, second]))
            }
        }
        return changes
    }

    /// All changes with one edit that inserts `letter` or no text.
    static func single(over length: Int, inserting letter: String) -> [Change] {
        places(length).flatMap { start, end in
            ["", letter].compactMap { text in
                start == end && text.isEmpty
                    ? nil : SampleChange.change([SampleChange.edit(start, end, text)])
            }
        }
    }

    private static func allEdits(over length: Int) -> [Edit] {
        places(length).flatMap { start, end in
            ["", "x", "yz"].compactMap { text in
                start == end && text.isEmpty ? nil : SampleChange.edit(start, end, text)
            }
        }
    }

    private static func places(_ length: Int) -> [(Int, Int)] {
        (0...length).flatMap { start in (start...length).map { (start, $0) } }
    }
}
