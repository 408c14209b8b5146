package import CaretCore
package import CaretLog

/// A sequence of store calls that depends only on its seed, with the store's contents after each step.
package struct SeededStoreRun: Sendable {
    package enum Step: Sendable {
        case create(Int)
        /// All pushes are in one transaction, each to a different document.
        case append([Push])
        case trim(Int, through: Revision)
        /// The store merges everything it can.
        case upkeep
        /// The store is closed and opened again.
        case reopen

        /// Whether the step is acked. Steps without an ack do not change acked data.
        package var isAcked: Bool {
            switch self {
            case .create, .append: true
            case .trim, .upkeep, .reopen: false
            }
        }
    }

    /// Changes that are appended to the head of one document. The seq of each change is its revision.
    package struct Push: Sendable {
        package let document: Int
        package let expected: Revision
        package let changes: [PushedChange]
    }

    /// What the store keeps of a document.
    package struct StoredHistory: Sendable {
        package fileprivate(set) var start = Snapshot(revision: 0, text: TextBuffer())
        package fileprivate(set) var texts = [TextBuffer()]
        package fileprivate(set) var changes: [PushedChange] = []

        package var head: Revision { Revision(changes.count) }
        package var text: TextBuffer { texts[texts.count - 1] }
    }

    package static let documents = 4

    package private(set) var steps: [Step] = []
    /// `states[n]` has the contents of all documents after the first n steps. A document that does not exist
    /// is nil.
    private var states: [[StoredHistory?]] = [Array(repeating: nil, count: documents)]

    /// `atOnce` limits the documents of one append.
    package init(seed: UInt64, rounds: Int, atOnce: Int = 3) {
        var random = Seeded(seed)
        for document in 0..<SeededStoreRun.documents { apply(.create(document)) }
        for round in 0..<rounds {
            if round == rounds / 4 { apply(.reopen) }
            apply(nextStep(atOnce, &random))
        }
    }

    package static func name(of document: Int) -> String { "doc/\(document)" }

    package func held(after count: Int) -> [StoredHistory?] { states[count] }

    /// How many steps the store may have finished, if it has acked the first `acked` steps. It may also have
    /// finished the steps without acks that follow, and one more step whose ack was not seen.
    package func possible(after acked: Int) -> ClosedRange<Int> {
        let next = steps[acked...].firstIndex { $0.isAcked }
        return acked...(next.map { $0 + 1 } ?? steps.count)
    }

    private mutating func apply(_ step: Step) {
        var state = states[states.count - 1]
        switch step {
        case .create(let document): state[document] = StoredHistory()
        case .append(let pushes):
            for push in pushes { state[push.document]?.apply(push.changes) }
        case .trim(let document, let through): state[document]?.trim(through: through)
        case .upkeep, .reopen: break
        }
        steps.append(step)
        states.append(state)
    }

    private func nextStep(_ atOnce: Int, _ random: inout Seeded) -> Step {
        let document = random.number(0...SeededStoreRun.documents - 1)
        if random.chance(4) { return .upkeep }
        if random.chance(4), let held = states[states.count - 1][document], held.head > held.start.revision {
            return .trim(
                document, through: Revision(random.number(held.start.revision.value...held.head.value)))
        }
        let count = random.chance(70) ? 1 : random.number(1...atOnce)
        return .append(
            (0..<count).map { push(to: (document + $0) % SeededStoreRun.documents, &random) })
    }

    private func push(to document: Int, _ random: inout Seeded) -> Push {
        guard let held = states[states.count - 1][document] else {
            preconditionFailure("a run pushes to a document that does not exist yet")
        }
        var (text, changes) = (held.text, [PushedChange]())
        for number in 1...random.number(1...3) {
            let change = change(of: text, &random)
            let pusher = random.chance(50) ? SampleLog.ann : SampleLog.bob
            do {
                let seq = Int64(held.head.value + number)
                changes.append(try SampleLog.pushed(change, in: text, by: pusher, seq: seq))
                try text.apply(change)
            } catch {
                preconditionFailure("a run made a change that does not fit: \(error)")
            }
        }
        return Push(document: document, expected: held.head, changes: changes)
    }

    private func change(of text: TextBuffer, _ random: inout Seeded) -> Change {
        if random.chance(70) {
            let change = SampleChange.make(for: text, upTo: 3, &random)
            if !change.edits.isEmpty { return change }
        }
        let long = SampleText.lines(bytes: random.number(1...6000), &random)
        return SampleChange.change([SampleChange.edit(text.end.value, text.end.value, long)])
    }
}

extension SeededStoreRun.StoredHistory {
    fileprivate mutating func apply(_ pushed: [PushedChange]) {
        for push in pushed {
            var text = text
            do { try text.apply(push.logged.change) } catch {
                preconditionFailure("a run made a change that does not fit: \(error)")
            }
            changes.append(push)
            texts.append(text)
        }
    }

    fileprivate mutating func trim(through revision: Revision) {
        start = Snapshot(revision: revision, text: texts[revision.value])
    }
}

extension SeededStoreRun {
    /// The difference between a store and the contents after `count` steps; nil if there is none.
    package func difference(in store: some DocumentStore, after count: Int) async throws -> String? {
        for (document, held) in held(after: count).enumerated() {
            let name = SeededStoreRun.name(of: document)
            let entry: DocumentEntry
            switch (await store.find(try DocumentName(name)), held) {
            case (.failure(.gone), nil): continue
            case (.failure(let refusal), _): return "\(name) cannot be found: \(refusal)"
            case (.success, nil): return "\(name) exists, but should not"
            case (.success(let found), _): entry = found
            }
            if let held, let difference = try await held.difference(from: entry, in: store) {
                return "\(name) \(difference)"
            }
        }
        return nil
    }
}

extension SeededStoreRun.StoredHistory {
    fileprivate func difference(
        from entry: DocumentEntry, in store: some DocumentStore
    ) async throws -> String? {
        if entry.head != head { return "has head \(entry.head.value), not \(head.value)" }
        if entry.start != start.revision {
            return "begins at \(entry.start.value), not \(start.revision.value)"
        }
        // A separate function: with all checks in one, the address sanitizer of Swift 6.3.1 writes eight
        // bytes beyond the stack frame.
        if let difference = try await differenceOfHistory(entry.id, in: store) { return difference }
        return try await differenceOfPushers(entry.id, in: store)
    }

    private func differenceOfHistory(
        _ document: DocumentID, in store: some DocumentStore
    ) async throws -> String? {
        let changes = try await store.read(document, after: start.revision).get().segment.changes
        if changes != self.changes[start.revision.value...].map(\.logged) { return "has wrong changes" }
        for (revision, text) in [(start.revision, start.text), (head, self.text)] {
            if try await store.text(of: document, at: revision).get().text != text {
                return "has a wrong text at revision \(revision.value)"
            }
        }
        return nil
    }

    private func differenceOfPushers(
        _ document: DocumentID, in store: some DocumentStore
    ) async throws -> String? {
        for who in [SampleLog.ann, SampleLog.bob] {
            let found = try await store.pusher(who, in: document).get().entry
            if found != entry(of: who) {
                return "has a wrong entry of a pusher: \(String(describing: found))"
            }
        }
        return nil
    }

    /// The entry that the store must have for a pusher.
    fileprivate func entry(of pusher: Pusher) -> PusherEntry? {
        changes.lastIndex { $0.logged.pusher == pusher }.map { index in
            let last = changes[index]
            return PusherEntry(
                seq: last.logged.seq, revision: Revision(index + 1), digest: last.digest,
                used: last.logged.time)
        }
    }
}
