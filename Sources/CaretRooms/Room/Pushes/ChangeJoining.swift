import CaretCore
import CaretLog
import CaretWire

/// Joining neighbouring edits of a change. A joined edit also replaces the text between them, by itself.
extension Change {
    /// The same change with at most so many edits. `new` is the text after it. Neighbours with the least text
    /// between them are joined first; if that is equal, the first ones.
    func joined(making new: Text, atMost most: Int) -> Change {
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

    /// The same change, with edits joined until they fit in so many bytes of a line. If even one edit does
    /// not fit, it is returned anyway: it is as long as the text that it makes.
    func joined(making new: Text, toBytes most: Int) -> Change {
        var change = self
        while change.edits.count > 1, !change.fits(most, making: new) {
            change = change.joined(making: new, atMost: change.edits.count / 2)
        }
        return change
    }

    private func fits(_ bytes: Int, making new: Text) -> Bool {
        let removed = edits.reduce(0) { $0 + $1.range.upperBound.value - $1.range.lowerBound.value }
        // A UTF-16 code unit has at most three bytes of UTF-8, so no offset in any unit is larger.
        return edits.fit(bytes, farthest: new.length.utf8 + 3 * removed) { $0 }
    }

    /// Calls `joins` once for each edit but the last, in order: whether to join it with the next one.
    private func joined(making new: Text, where joins: (Int) -> Bool) -> Change {
        var result: [Edit] = []
        var first = 0
        // By how much the previous edits move the text.
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
                else { preconditionFailure("edits \(first) to \(index) do not make the text") }
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
    /// Whether its edits fit in so many bytes of a line. A change that was stored before this bound existed
    /// may not.
    func fits(_ bytes: Int) -> Bool {
        let end = edits.last.map { $0.start.utf8 + $0.removed.utf8 } ?? 0
        return edits.fit(bytes, farthest: end) { $0.edit }
    }

    /// The same change with other edits that have the same effect.
    func with(_ change: Change, in old: Text) -> LoggedChange {
        LoggedChange(pusher: pusher, seq: seq, time: time, edits: change.logged(in: old))
    }
}

extension Change {
    /// Its edits with their offsets in all units. The change must fit the text.
    func logged(in old: Text) -> [LoggedEdit] {
        edits.map { edit in
            guard let logged = try? LoggedEdit(edit, in: old) else {
                preconditionFailure("an edit of a change that fits has no place in its text")
            }
            return logged
        }
    }
}

extension Array {
    /// Whether edits fit in so many bytes of a line, if no offset is greater than `farthest`.
    fileprivate func fit(_ bytes: Int, farthest: Int, _ edit: (Element) -> Edit) -> Bool {
        let frame = count * WireEdit.mostBytes(ofOffsets: farthest)
        // Usually this is enough, and no text is examined.
        if frame + reduce(0, { $0 + WireString.mostEscape * edit($1).inserted.utf8 }) <= bytes { return true }
        var sum = frame
        for element in self where sum <= bytes { sum += WireString(edit(element).text).escapedBytes }
        return sum <= bytes
    }
}
