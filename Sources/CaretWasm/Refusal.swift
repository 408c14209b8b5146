import CaretCore

/// What the first number of an answer says.
enum Status: Int32 {
    case ok = 0
    /// `TextError.invalidUTF8`: the byte.
    case invalidUTF8 = 1
    /// `TextError.carriageReturn`: the byte.
    case carriageReturn = 2
    /// `TextError.outside`: the offset, the end.
    case outside = 3
    /// `TextError.insideScalar`: the offset.
    case insideScalar = 4
    /// `ChangeError.outOfOrder`: the edit.
    case outOfOrder = 5
    /// Bytes that are no change: the byte at which that shows; or a number that names no unit or tie: that number.
    case malformed = 6
    /// A range whose end is before its start: the edit, the start, the end.
    case reversedRange = 7
    /// A count of bytes or an offset over its limit: the number, the limit.
    case tooLarge = 8

    /// Added to the status of a `TextError` that belongs to one edit, whose index is then the first number.
    static let inEdit: Int32 = 16
}

/// Why a call has no result.
struct Refusal: Error {
    /// A `Status`, and `Status.inEdit` where one edit is to blame.
    private(set) var status: Int32
    private(set) var numbers: (Int32, Int32, Int32)
    /// How many of the numbers count.
    private(set) var count: Int

    init(_ status: Status, _ first: Int32) {
        self.init(status, (first, 0, 0), count: 1)
    }

    init(_ status: Status, _ first: Int32, _ second: Int32) {
        self.init(status, (first, second, 0), count: 2)
    }

    init(_ status: Status, edit: Int, _ first: Int32, _ second: Int32) {
        self.init(status, (Int32(truncatingIfNeeded: edit), first, second), count: 3)
    }

    init(_ error: TextError) {
        switch error {
        case .invalidUTF8(let byte): self.init(.invalidUTF8, Int32(truncatingIfNeeded: byte))
        case .carriageReturn(let byte): self.init(.carriageReturn, Int32(truncatingIfNeeded: byte))
        case .insideScalar(let offset): self.init(.insideScalar, Int32(truncatingIfNeeded: offset))
        case .outside(let offset, let end):
            self.init(.outside, Int32(truncatingIfNeeded: offset), Int32(truncatingIfNeeded: end))
        }
    }

    init(_ error: TextError, edit: Int) {
        self.init(error)
        status += Status.inEdit
        numbers = (Int32(truncatingIfNeeded: edit), numbers.0, numbers.1)
        count += 1
    }

    init(_ error: ChangeError) {
        switch error {
        case .outOfOrder(let edit): self.init(.outOfOrder, Int32(truncatingIfNeeded: edit))
        case .misplaced(let edit, let reason): self.init(reason, edit: edit)
        }
    }

    private init(_ status: Status, _ numbers: (Int32, Int32, Int32), count: Int) {
        self.status = status.rawValue
        self.numbers = numbers
        self.count = count
    }
}
