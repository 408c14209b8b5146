import CaretCore

/// The first number of an answer: whether the call has a result, or why not.
enum Status: Int32 {
    case ok = 0
    /// `TextError.invalidUTF8`, with the index of the byte.
    case invalidUTF8 = 1
    /// `TextError.carriageReturn`, with the index of the byte.
    case carriageReturn = 2
    /// `TextError.outside`, with the offset and the end of the text.
    case outside = 3
    /// `TextError.insideScalar`, with the offset.
    case insideScalar = 4
    /// `ChangeError.outOfOrder`, with the index of the edit.
    case outOfOrder = 5
    /// Either the bytes are not a change: the number is the index of the invalid byte. Or an argument is not
    /// a valid unit or tie: the number is this argument.
    case malformed = 6
    /// A range that ends before it starts, with the index of the edit, the start and the end.
    case reversedRange = 7
    /// A number of bytes or an offset over its limit, with the number and the limit.
    case tooLarge = 8

    /// Added to the status of a `TextError` in an edit. The first number is then the index of the edit.
    static let inEdit: Int32 = 16
}

/// Why a call has no result.
struct Refusal: Error {
    /// A `Status`, plus `Status.inEdit` if an edit is the cause.
    private(set) var status: Int32
    private(set) var numbers: (Int32, Int32, Int32)
    /// How many of `numbers` are used.
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
