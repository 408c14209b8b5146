import CaretCore
import TestSupport

/// An edit for the models. They share no code with the module, so that both cannot be wrong in the same way.
struct ModelEdit: Equatable {
    var start: Int
    var end: Int
    var text: [Character16]

    init(_ start: Int, _ end: Int, _ text: [Character16]) {
        (self.start, self.end, self.text) = (start, end, text)
    }

    init(_ edit: Edit) {
        self.init(edit.range.lowerBound.value, edit.range.upperBound.value, Array(edit.text.utf16))
    }
}

typealias Character16 = UInt16

extension Change {
    var model: [ModelEdit] { edits.map(ModelEdit.init) }
}

/// Normal form as docs/protocol/transforms.md defines it: empty edits are dropped, and touching edits are
/// joined.
func normalised(_ edits: [ModelEdit]) -> [ModelEdit] {
    var result: [ModelEdit] = []
    for edit in edits where edit.start < edit.end || !edit.text.isEmpty {
        if let last = result.last, last.end == edit.start {
            result[result.count - 1] = ModelEdit(last.start, edit.end, last.text + edit.text)
        } else {
            result.append(edit)
        }
    }
    return result
}

/// The first model: the formulas of docs/protocol/transforms.md, with each sum computed over all edits.
enum FormulaModel {
    static func placeOfInsertion(_ a: Int, over other: [ModelEdit], otherFirst: Bool) -> Int {
        a
            + other.filter { otherFirst ? $0.start <= a : $0.start < a }
            .reduce(0) { $0 + $1.text.count - (min($1.end, a) - $1.start) }
    }

    static func placeOfCharacter(_ x: Int, over other: [ModelEdit]) -> Int? {
        if other.contains(where: { $0.start <= x && x < $0.end }) { return nil }
        return x + other.filter { $0.end <= x }.reduce(0) { $0 + $1.text.count - ($1.end - $1.start) }
    }

    static func rebased(_ edits: [ModelEdit], over other: [ModelEdit], otherFirst: Bool) -> [ModelEdit] {
        var result: [ModelEdit] = []
        for edit in edits {
            let place = placeOfInsertion(edit.start, over: other, otherFirst: otherFirst)
            result.append(ModelEdit(place, place, edit.text))
            for x in edit.start..<edit.end {
                if let y = placeOfCharacter(x, over: other) { result.append(ModelEdit(y, y + 1, [])) }
            }
        }
        return normalised(result)
    }

    static func caret(_ a: Int, through change: [ModelEdit]) -> Int {
        a + change.filter { $0.start <= a }.reduce(0) { $0 + $1.text.count - (min($1.end, a) - $1.start) }
    }

    static func selection(_ a: Int, _ b: Int, through change: [ModelEdit]) -> (Int, Int) {
        let start = caret(a, through: change)
        if a == b { return (start, start) }
        let end =
            b
            + change.filter { $0.start < b }
            .reduce(0) { $0 + ($1.end < b ? $1.text.count - ($1.end - $1.start) : -(b - $1.start)) }
        return (start, max(start, end))
    }
}

/// The second model: a text is a list of characters with identities. There is a gap for inserted texts before
/// each character, and one at the end. No character moves, and a removed character is only marked. So a
/// second change against the same text needs no rebasing: its positions are still right.
struct IdentityModel {
    /// The inserted text in each gap: before each character, and last at the end of the text.
    private var gaps: [[Character16]]
    private var removed: [Bool]
    private let base: [Character16]

    init(_ base: [Character16]) {
        self.base = base
        gaps = Array(repeating: [], count: base.count + 1)
        removed = Array(repeating: false, count: base.count)
    }

    /// Applies a change that was made against the original text. Texts that are already in a gap stay on the
    /// left.
    mutating func take(_ edits: [ModelEdit]) {
        for edit in edits {
            gaps[edit.start] += edit.text
            for index in edit.start..<edit.end { removed[index] = true }
        }
    }

    /// Where a caret in the gap at `a` is after one change: after all text that was inserted into this gap.
    static func caret(_ a: Int, of length: Int, through change: [ModelEdit]) -> Int {
        var model = IdentityModel(Array(repeating: 0, count: length))
        model.take(change)
        return (0..<a).reduce(model.gaps[a].count) { $0 + model.gaps[$1].count + (model.removed[$1] ? 0 : 1) }
    }

    /// Maps the end of a selection at `b` through one change. The result is the length of the text that is
    /// now before `b`. Text that an edit inserts counts only if the edit ends before `b`.
    static func end(_ b: Int, of length: Int, through change: [ModelEdit]) -> Int {
        var model = IdentityModel(Array(repeating: 0, count: length))
        model.take(change.map { ModelEdit($0.start, $0.end, $0.end < b ? $0.text : []) })
        return (0..<b).reduce(0) { $0 + model.gaps[$1].count + (model.removed[$1] ? 0 : 1) }
    }

    var text: [Character16] {
        base.indices.flatMap { gaps[$0] + (removed[$0] ? [] : [base[$0]]) } + gaps[base.count]
    }
}

func apply(_ edits: [ModelEdit], to text: [Character16]) -> [Character16] {
    var result: [Character16] = []
    var position = 0
    for edit in edits {
        result += text[position..<edit.start] + edit.text
        position = edit.end
    }
    return result + text[position...]
}
