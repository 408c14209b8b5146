import CaretCore
import CaretLog
import CaretWire

/// Joins neighbouring edits of a change. A joined edit also contains the unchanged text between the two
/// edits.
extension Change {
    /// The same change with at most this many edits. `new` is the text after the change. The neighbours with
    /// the least text between them are joined first. If two pairs have the same amount of text between them,
    /// the pair that comes first in the text is joined first.
    func joined(making new: TextBuffer, atMost most: Int) -> Change {
        let surplus = edits.count - max(1, most)
        if surplus <= 0 { return self }
        let gaps = zip(edits, edits.dropFirst()).map {
            $1.range.lowerBound.value - $0.range.upperBound.value
        }
        let longest = gaps.sorted()[surplus - 1]
        var longestLeft = surplus - gaps.count { $0 < longest }
        return joined(making: new) { index in
            if gaps[index] == longest {
                longestLeft -= 1
                return longestLeft >= 0
            }
            return gaps[index] < longest
        }
    }

    /// The same change, with edits joined until they fit in this many bytes of a line. A single edit is
    /// returned even if it does not fit: it is at most as long as the new text.
    func joined(making new: TextBuffer, toBytes most: Int) -> Change {
        var change = self
        while change.edits.count > 1, !change.fits(most, making: new) {
            change = change.joined(making: new, atMost: change.edits.count / 2)
        }
        return change
    }

    private func fits(_ bytes: Int, making new: TextBuffer) -> Bool {
        let removed = edits.reduce(0) { $0 + $1.range.upperBound.value - $1.range.lowerBound.value }
        // A UTF-16 code unit has at most three bytes of UTF-8, so no offset in any unit exceeds this bound.
        return edits.fit(bytes, farthest: new.length.utf8 + 3 * removed) { $0 }
    }

    /// Joins each edit with the next one if `joins` returns true. `joins` is called in order, once for each
    /// edit except the last.
    private func joined(making new: TextBuffer, where joins: (Int) -> Bool) -> Change {
        var result: [Edit] = []
        var first = 0
        // How far the previous edits move the text after them.
        var (shift, shiftOfFirst) = (0, 0)
        for (index, edit) in edits.enumerated() {
            shift += edit.inserted.utf16 - (edit.range.upperBound.value - edit.range.lowerBound.value)
            if index + 1 < edits.count, joins(index) { continue }
            let start = edits[first].range.lowerBound
            if first == index {
                result.append(edit)
            } else {
                let (low, high) = (start.value + shiftOfFirst, edit.range.upperBound.value + shift)
                guard let text = try? new.slice(Offset(low)..<Offset(high)),
                    let joined = try? Edit(start..<edit.range.upperBound, text)
                else { preconditionFailure("edits \(first) to \(index) do not produce the new text") }
                result.append(joined)
            }
            (first, shiftOfFirst) = (index + 1, shift)
        }
        guard let change = try? Change(result) else {
            preconditionFailure("joined edits are not in order")
        }
        return change
    }
}

extension LoggedChange {
    /// Whether the edits fit in this many bytes of a line. A change that was stored before this limit existed
    /// may not fit.
    func fits(_ bytes: Int) -> Bool {
        let end = edits.last.map { $0.start.utf8 + $0.removed.utf8 } ?? 0
        return edits.fit(bytes, farthest: end) { $0.edit }
    }

    /// The same change with other edits that have the same effect.
    func with(_ change: Change, in old: TextBuffer) -> LoggedChange {
        LoggedChange(pusher: pusher, seq: seq, time: time, edits: change.logged(in: old))
    }
}

extension Change {
    /// The edits with their offsets in all units. The change must fit the text.
    func logged(in old: TextBuffer) -> [LoggedEdit] {
        edits.map { edit in
            guard let logged = try? LoggedEdit(edit, in: old) else {
                preconditionFailure("an edit does not fit the text of its change")
            }
            return logged
        }
    }
}

extension Array {
    /// Whether edits fit in this many bytes of a line, if no offset is greater than `farthest`.
    fileprivate func fit(_ bytes: Int, farthest: Int, _ edit: (Element) -> Edit) -> Bool {
        let frame = count * WireEdit.mostBytes(ofOffsets: farthest)
        // Usually this upper bound fits, and no text is examined.
        if frame + reduce(0, { $0 + WireString.mostEscape * edit($1).inserted.utf8 }) <= bytes { return true }
        var sum = frame
        for element in self where sum <= bytes { sum += WireString(edit(element).text).escapedBytes }
        return sum <= bytes
    }
}
