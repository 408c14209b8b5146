import CaretCore

/// The operation of a call.
enum Operation {
    case validate, diff, apply, rebase, compose, invert, normalise, mapCaret, mapSelection, convert
}

/// A call from the host, which reads its arguments in order.
struct Call {
    private let first: Input
    private let second: Input
    private let numbers: (Int32, Int32, Int32)
    /// The index of the argument that was read last. A refusal contains this index.
    private var argument: Int32 = -1

    /// Runs the operation. The answer is in newly allocated memory.
    @inline(never)
    static func answer(
        _ operation: Operation, _ first: Input, _ second: Input = Input(nil, 0),
        numbers one: Int32 = 0, _ two: Int32 = 0, _ three: Int32 = 0
    ) -> Answer {
        var call = Call(first: first, second: second, numbers: (one, two, three))
        do throws(Refusal) {
            return try call.answer(operation)
        } catch {
            return write(error, blaming: call.argument)
        }
    }

    private init(first: Input, second: Input, numbers: (Int32, Int32, Int32)) {
        self.first = first
        self.second = second
        self.numbers = numbers
    }

    private mutating func answer(_ operation: Operation) throws(Refusal) -> Answer {
        switch operation {
        case .validate:
            let length = try text(first).length
            return write(length.utf8, length.utf16, length.scalars)
        case .diff:
            let old = try text(first)
            return write(CaretCore.diff(from: old, to: try text(second)))
        case .apply: return try apply()
        case .invert: return try invert()
        case .compose: return try compose()
        case .rebase:
            let (change, other) = (try change(first), try change(second))
            return write(change.rebased(over: other, tie: try tie(numbers.0)))
        case .normalise: return write(try change(first))
        case .mapCaret:
            let change = try change(first)
            return write(try checkedOffset(numbers.0).mapped(through: change).value)
        case .mapSelection:
            let change = try change(first)
            let selection = Selection(
                anchor: try checkedOffset(numbers.0), head: try checkedOffset(numbers.1))
            let mapped = selection.mapped(through: change)
            return write(mapped.anchor.value, mapped.head.value)
        case .convert: return try convert()
        }
    }

    private mutating func apply() throws(Refusal) -> Answer {
        let (text, change) = (try text(first), try change(second))
        do throws(ChangeError) {
            return write(try text.applying(change))
        } catch {
            throw Refusal(error)
        }
    }

    private mutating func invert() throws(Refusal) -> Answer {
        let (text, change) = (try text(first), try change(second))
        do throws(ChangeError) {
            return write(try change.inverted(in: text))
        } catch {
            throw Refusal(error)
        }
    }

    private mutating func compose() throws(Refusal) -> Answer {
        let (first, second) = (try change(first), try change(second))
        do throws(ChangeError) {
            return write(try first.composed(with: second))
        } catch {
            throw Refusal(error)
        }
    }

    private mutating func convert() throws(Refusal) -> Answer {
        let text = try text(first)
        argument = 1
        let (offset, source, target) = (Int(numbers.0), numbers.1, numbers.2)
        do throws(TextError) {
            let bytes: UTF8Offset
            switch source {
            case 8: bytes = try text.convert(UTF8Offset(offset), to: UTF8Unit.self)
            case 16: bytes = try text.convert(Offset(offset), to: UTF8Unit.self)
            case 32: bytes = try text.convert(ScalarOffset(offset), to: UTF8Unit.self)
            default:
                argument = 2
                return write(Refusal(.malformed, source), blaming: argument)
            }
            switch target {
            case 8: return write(bytes.value)
            case 16: return write(try text.convert(bytes, to: UTF16Unit.self).value)
            case 32: return write(try text.convert(bytes, to: ScalarUnit.self).value)
            default:
                argument = 3
                return write(Refusal(.malformed, target), blaming: argument)
            }
        } catch {
            throw Refusal(error)
        }
    }

    private mutating func text(_ input: Input) throws(Refusal) -> TextBuffer {
        argument += 1
        return try input.text()
    }

    private mutating func change(_ input: Input) throws(Refusal) -> Change {
        argument += 1
        return try input.change()
    }

    /// Reads an offset when the call has no text. So the offset is checked only against the general limits.
    private mutating func checkedOffset(_ offset: Int32) throws(Refusal) -> Offset {
        argument += 1
        if offset < 0 { throw Refusal(.outside, offset, Int32(Limits.offset)) }
        if offset > Limits.offset { throw Refusal(.tooLarge, offset, Int32(Limits.offset)) }
        return Offset(Int(offset))
    }

    private mutating func tie(_ number: Int32) throws(Refusal) -> Tie {
        argument += 1
        if number == 0 { return .otherFirst }
        if number == 1 { return .selfFirst }
        throw Refusal(.malformed, number)
    }
}
