import CaretCore

// Each of these functions writes an answer into newly allocated memory. The caller frees this memory.

func write(_ text: TextBuffer) -> Answer {
    var writer = Writer(payload: text.length.utf8)
    text.forEachPiece { writer.put($0) }
    return writer.start
}

@inline(never)
func write(_ change: Change) -> Answer {
    var writer = Writer(payload: change.edits.reduce(4) { $0 + 12 + $1.inserted.utf8 })
    writer.put(change.edits.count)
    for edit in change.edits {
        writer.put(edit.range.lowerBound.value)
        writer.put(edit.range.upperBound.value)
        writer.put(edit.inserted.utf8)
        _ = edit.text.utf8.withContiguousStorageIfAvailable { writer.put($0) }
    }
    return writer.start
}

func write(_ number: Int) -> Answer {
    var writer = Writer(payload: 4)
    writer.put(number)
    return writer.start
}

func write(_ first: Int, _ second: Int) -> Answer {
    var writer = Writer(payload: 8)
    writer.put(first)
    writer.put(second)
    return writer.start
}

func write(_ first: Int, _ second: Int, _ third: Int) -> Answer {
    var writer = Writer(payload: 12)
    writer.put(first)
    writer.put(second)
    writer.put(third)
    return writer.start
}

func write(_ refusal: Refusal, blaming argument: Int32) -> Answer {
    var writer = Writer(status: refusal.status, payload: 4 + 4 * refusal.count)
    writer.put(Int(argument))
    writer.put(Int(refusal.numbers.0))
    if refusal.count > 1 { writer.put(Int(refusal.numbers.1)) }
    if refusal.count > 2 { writer.put(Int(refusal.numbers.2)) }
    return writer.start
}

/// Allocates the memory of an answer, and fills it from start to end.
private struct Writer {
    let start: UnsafeMutableRawPointer
    private var next: UnsafeMutableRawPointer

    @inline(never)
    init(status: Int32 = Status.ok.rawValue, payload: Int) {
        start = .allocate(byteCount: 8 + payload, alignment: 16)
        next = start
        put(Int(status))
        put(payload)
    }

    @inline(never)
    mutating func put(_ number: Int) {
        next.storeBytes(of: Int32(truncatingIfNeeded: number).littleEndian, as: Int32.self)
        next += 4
    }

    @inline(never)
    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        next.copyMemory(from: source, byteCount: bytes.count)
        next += bytes.count
    }
}
