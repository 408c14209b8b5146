package import CaretCore
package import CaretLog

/// A run of calls to a store that depends only on its seed, and the contents of the store after any part of
/// it.
package struct FixedRun: Sendable {
    package enum Step: Sendable {
        case create(Int)
        /// All in one transaction, each of another document.
        case append([Push])
        case trim(Int, through: Revision)
        /// The store merges everything it can.
        case tend
        /// The store is closed and opened again.
        case reopen

        /// Whether the step is acked. Steps without an ack do not change acked data.
        package var isAcked: Bool {
            switch self {
            case .create, .append: true
            case .trim, .tend, .reopen: false
            }
        }
    }

    /// Changes of one document after its current head. The seq of each is its revision.
    package struct Push: Sendable {
        package let document: Int
        package let expected: Revision
        package let changes: [PushedChange]
    }

    /// What the store keeps of a document.
    package struct Held: Sendable {
        package fileprivate(set) var start = Snapshot(revision: 0, text: Text())
        package fileprivate(set) var texts = [Text()]
        package fileprivate(set) var changes: [PushedChange] = []

        package var head: Revision { Revision(changes.count) }
        package var text: Text { texts[texts.count - 1] }
    }

    package static let documents = 4

    package private(set) var steps: [Step] = []
    /// The contents after so many steps. A document that does not exist is nil.
    private var states: [[Held?]] = [Array(repeating: nil, count: documents)]

    /// `atOnce` limits the documents of one append.
    package init(seed: UInt64, rounds: Int, atOnce: Int = 3) {
        var random = Seeded(seed)
        for document in 0..<FixedRun.documents { take(.create(document)) }
        for round in 0..<rounds {
            if round == rounds / 4 { take(.reopen) }
            take(nextStep(atOnce, &random))
        }
    }

    package static func name(of document: Int) -> String { "doc/\(document)" }

    package func held(after count: Int) -> [Held?] { states[count] }

    /// The possible numbers of finished steps if so many are known to be finished: the unacked step may be
    /// too, and so may steps without an ack before it.
    package func possible(after acked: Int) -> ClosedRange<Int> {
        let next = steps[acked...].firstIndex { $0.isAcked }
        return acked...(next.map { $0 + 1 } ?? steps.count)
    }

    private mutating func take(_ step: Step) {
        var state = states[states.count - 1]
        switch step {
        case .create(let document): state[document] = Held()
        case .append(let pushes):
            for push in pushes { state[push.document]?.take(push.changes) }
        case .trim(let document, let through): state[document]?.trim(through: through)
        case .tend, .reopen: break
        }
        steps.append(step)
        states.append(state)
    }

    private func nextStep(_ atOnce: Int, _ random: inout Seeded) -> Step {
        let document = random.number(0...FixedRun.documents - 1)
        if random.chance(4) { return .tend }
        if random.chance(4), let held = states[states.count - 1][document], held.head > held.start.revision {
            return .trim(
                document, through: Revision(random.number(held.start.revision.value...held.head.value)))
        }
        let count = random.chance(70) ? 1 : random.number(1...atOnce)
        return .append(
            (0..<count).map { push(to: (document + $0) % FixedRun.documents, &random) })
    }

    private func push(to document: Int, _ random: inout Seeded) -> Push {
        guard let held = states[states.count - 1][document] else {
            preconditionFailure("a run pushes to a document before it is there")
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

    private func change(of text: Text, _ random: inout Seeded) -> Change {
        if random.chance(70) {
            let change = SampleChange.make(for: text, upTo: 3, &random)
            if !change.edits.isEmpty { return change }
        }
        let long = SampleText.lines(bytes: random.number(1...6000), &random)
        return SampleChange.change([SampleChange.edit(text.end.value, text.end.value, long)])
    }
}

extension FixedRun.Held {
    fileprivate mutating func take(_ pushed: [PushedChange]) {
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

extension FixedRun {
    /// The difference between a store and the contents after so many steps; nil if there is none.
    package func difference(in store: some DocumentStore, after count: Int) async throws -> String? {
        for (document, held) in held(after: count).enumerated() {
            let name = FixedRun.name(of: document)
            let entry: DocumentEntry
            switch (await store.find(try DocumentName(name)), held) {
            case (.failure(.gone), nil): continue
            case (.failure(let refusal), _): return "\(name) is \(refusal)"
            case (.success, nil): return "\(name) is there"
            case (.success(let found), _): entry = found
            }
            if let held, let difference = try await held.difference(from: entry, in: store) {
                return "\(name) \(difference)"
            }
        }
        return nil
    }
}

extension FixedRun.Held {
    fileprivate func difference(
        from entry: DocumentEntry, in store: some DocumentStore
    ) async throws -> String? {
        if entry.head != head { return "has head \(entry.head.value), not \(head.value)" }
        if entry.start != start.revision {
            return "begins at \(entry.start.value), not \(start.revision.value)"
        }
        // A function of its own: the address sanitizer of Swift 6.3.1 writes eight bytes beyond the frame if
        // all is in one.
        if let difference = try await differenceOfHistory(entry.id, in: store) { return difference }
        return try await differenceOfPushers(entry.id, in: store)
    }

    private func differenceOfHistory(
        _ document: DocumentID, in store: some DocumentStore
    ) async throws -> String? {
        let changes = try await store.read(document, after: start.revision).get().segment.changes
        if changes != self.changes[start.revision.value...].map(\.logged) { return "has other changes" }
        for (revision, text) in [(start.revision, start.text), (head, self.text)] {
            if try await store.text(of: document, at: revision).get().text != text {
                return "has another text at \(revision.value)"
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
                return "has another entry of a pusher: \(String(describing: found))"
            }
        }
        return nil
    }

    /// What is to be remembered of a pusher.
    fileprivate func entry(of pusher: Pusher) -> PusherEntry? {
        changes.lastIndex { $0.logged.pusher == pusher }.map { index in
            let last = changes[index]
            return PusherEntry(
                seq: last.logged.seq, revision: Revision(index + 1), digest: last.digest,
                used: last.logged.time)
        }
    }
}
