import CaretCore

// Each of these functions writes an answer into newly allocated memory. The caller frees this memory.

func write(_ text: TextBuffer) -> Answer {
    var writer = Writer(payload: text.length.utf8)
    writer.put(text)
    return writer.finish()
}

@inline(never)
func write(_ change: Change) -> Answer {
    var writer = Writer(payload: change.edits.reduce(4) { $0 + 12 + $1.inserted.utf8 })
    writer.put(change)
    return writer.finish()
}

func write(_ number: Int) -> Answer {
    var writer = Writer(payload: 4)
    writer.put(number)
    return writer.finish()
}

func write(_ first: Int, _ second: Int) -> Answer {
    var writer = Writer(payload: 8)
    writer.put(first)
    writer.put(second)
    return writer.finish()
}

func write(_ first: Int, _ second: Int, _ third: Int) -> Answer {
    var writer = Writer(payload: 12)
    writer.put(first)
    writer.put(second)
    writer.put(third)
    return writer.finish()
}

@inline(never)
func write(_ refusal: Refusal, blaming argument: Int32) -> Answer {
    var writer = Writer(status: refusal.status, payload: 4 + 4 * refusal.count)
    writer.put(Int(argument))
    writer.put(Int(refusal.numbers.0))
    if refusal.count > 1 { writer.put(Int(refusal.numbers.1)) }
    if refusal.count > 2 { writer.put(Int(refusal.numbers.2)) }
    return writer.finish()
}
