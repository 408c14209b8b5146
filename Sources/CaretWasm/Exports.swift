// CaretCore for JavaScript, or for any other WebAssembly host. `Clients/javascript/module.js` uses this convention.
//
// A call receives texts and changes as an address and a number of bytes in the module's memory. The caller
// allocates that memory with `caret_allocate` and frees it with `caret_free`; the module does not keep its
// address. The call returns the address of
//
//     status: i32    count: u32    payload: `count` bytes
//
// which the caller frees with `caret_free` too. All numbers are little-endian. Status 0 is a result: the
// UTF-8 of a text, a change, or i32 numbers, as documented at each call. Every other `Status` is a refusal.
// The payload of a refusal is a list of i32: the index of the invalid argument, then the numbers of the
// status. The index counts texts, changes and plain numbers in order.
//
//     text      its UTF-8
//     change    count of edits: u32, then for each edit
//               start: i32, end: i32 (in UTF-16 code units), count: u32, `count` bytes of UTF-8
//
// Every call returns an answer, even if its arguments contain invalid bytes or numbers. A call traps only if
// the host has no more memory. After a trap, the instance cannot be used any more.

import CaretCore

/// The address of an argument or an answer.
package typealias Bytes = UnsafePointer<UInt8>?
package typealias Answer = UnsafeMutableRawPointer

/// Allocates memory for an argument; nil if the size is over the limit.
@c(caret_allocate)
package func allocate(_ count: UInt32) -> UnsafeMutableRawPointer? {
    guard let count = Int(exactly: count), count <= Limits.bytes else { return nil }
    return .allocate(byteCount: count, alignment: 16)
}

/// Frees the memory of an argument or an answer.
@c(caret_free)
package func free(_ start: UnsafeMutableRawPointer?) { start?.deallocate() }

/// Checks whether bytes are a valid text. Returns its length in UTF-8, UTF-16 and UTF-32 code units.
@c(caret_validate)
package func validate(_ text: Bytes, _ count: UInt32) -> Answer {
    Call.answer(.validate, Input(text, count))
}

/// The change from the old text to the new one.
@c(caret_diff)
package func diff(_ old: Bytes, _ oldCount: UInt32, _ new: Bytes, _ newCount: UInt32) -> Answer {
    Call.answer(.diff, Input(old, oldCount), Input(new, newCount))
}

/// The text after the change.
@c(caret_apply)
package func apply(_ text: Bytes, _ textCount: UInt32, _ change: Bytes, _ changeCount: UInt32) -> Answer {
    Call.answer(.apply, Input(text, textCount), Input(change, changeCount))
}

/// The change, adapted to the text after `other`. `tie` is 0 if `other` was committed first, and 1 if
/// `change` was committed first.
@c(caret_rebase)
package func rebase(
    _ change: Bytes, _ changeCount: UInt32, _ other: Bytes, _ otherCount: UInt32, _ tie: Int32
) -> Answer {
    Call.answer(.rebase, Input(change, changeCount), Input(other, otherCount), numbers: tie)
}

/// One change with the effect of the first change followed by the second.
@c(caret_compose)
package func compose(_ first: Bytes, _ firstCount: UInt32, _ second: Bytes, _ secondCount: UInt32) -> Answer {
    Call.answer(.compose, Input(first, firstCount), Input(second, secondCount))
}

/// The inverse of a change. `text` is the text before the change.
@c(caret_invert)
package func invert(_ text: Bytes, _ textCount: UInt32, _ change: Bytes, _ changeCount: UInt32) -> Answer {
    Call.answer(.invert, Input(text, textCount), Input(change, changeCount))
}

/// The edits in normal form.
@c(caret_normalise)
package func normalise(_ edits: Bytes, _ count: UInt32) -> Answer {
    Call.answer(.normalise, Input(edits, count))
}

/// Where a caret is after the change: one number.
@c(caret_map_caret)
package func mapCaret(_ change: Bytes, _ changeCount: UInt32, _ caret: Int32) -> Answer {
    Call.answer(.mapCaret, Input(change, changeCount), numbers: caret)
}

/// The selection after the change: anchor and head.
@c(caret_map_selection)
package func mapSelection(_ change: Bytes, _ changeCount: UInt32, _ anchor: Int32, _ head: Int32) -> Answer {
    Call.answer(.mapSelection, Input(change, changeCount), numbers: anchor, head)
}

/// The same position in another unit: one number. Units are 8, 16 and 32, for UTF-8, UTF-16 and UTF-32.
@c(caret_convert)
package func convert(
    _ text: Bytes, _ textCount: UInt32, _ offset: Int32, _ source: Int32, _ target: Int32
) -> Answer {
    Call.answer(.convert, Input(text, textCount), numbers: offset, source, target)
}
