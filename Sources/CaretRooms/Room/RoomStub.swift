import CaretCore
package import CaretLog
package import CaretWire

extension Epoch {
    /// What an epoch is called on the wire: letters and digits that say nothing to anybody else.
    package var wire: WireString {
        WireString(String(generation, radix: 36) + "." + String(document, radix: 36))
    }
}

extension LoggedChange {
    /// Its edits as they are sent in a unit.
    func wireEdits(in unit: CodeUnit) -> [WireEdit] {
        edits.map { WireEdit($0, in: unit) }
    }
}

extension WireEdit {
    init(_ edit: LoggedEdit, in unit: CodeUnit) {
        let start = edit.start.count(of: unit)
        self.init(
            WireRange(start, start + edit.removed.count(of: unit)), WireString(edit.edit.text))
    }
}

/// How the changes of a segment are made anew behind others.
package struct SegmentPlan: Equatable, Sendable {
    package init() {}
}
