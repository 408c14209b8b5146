import CaretCore
import CaretFormat
import CaretLog

/// Appends groups through one connection. A document is always appended to by the same writer.
///
/// Use it only on the writer's thread.
struct AppendWriter {
    private let lane: Lane
    private let due: DueDocuments
    private let bus: PostgresBus
    private let rows: KnownRows
    /// Memory for encoding segments.
    private var columns = SegmentColumns()
    /// Adds appends again after a pause. Their documents were locked.
    var tryLater: @Sendable ([AppendJob]) -> Void = { _ in }

    /// The most appends and bytes of one statement.
    private static let mostAppends = 256
    private static let mostWeight = 8 << 20
    /// The most appends of a group that wait for a lock, one after the other.
    private static let mostWaits = 4

    init(_ lane: Lane, _ rows: KnownRows, _ due: DueDocuments, _ bus: PostgresBus) {
        self.lane = lane
        self.rows = rows
        self.due = due
        self.bus = bus
    }

    /// Appends all of the jobs, in several groups if one document has several appends.
    mutating func run(_ jobs: [AppendJob]) {
        var (rest, locked) = (jobs[...], [AppendJob]())
        while !rest.isEmpty {
            let group = AppendWriter.nextGroup(&rest)
            var outcomes = append(group)
            for index in group.indices where outcomes[index] == nil && hasWaited(group[index]) {
                outcomes[index] = .away
            }
            bus.publish(
                zip(group, outcomes).compactMap { job, outcome in
                    if case .committed(let head) = outcome { .head(job.append.document, head) } else { nil }
                })
            for (job, outcome) in zip(group, outcomes) {
                if let outcome {
                    job.completion(outcome)
                } else {
                    locked.append(job.retried())
                }
            }
        }
        if !locked.isEmpty { tryLater(locked) }
    }

    /// Whether an append to a locked document is not tried again.
    private func hasWaited(_ job: AppendJob) -> Bool {
        lane.shared.isClosing || job.retriedUntil.map { $0 <= .now } ?? false
    }

    mutating func close() { lane.close() }

    /// Removes and returns the next jobs whose documents are all different.
    private static func nextGroup(_ rest: inout ArraySlice<AppendJob>) -> [AppendJob] {
        var (group, documents, weight, later): ([AppendJob], Set<DocumentID>, Int, [AppendJob]) = (
            [], [], 0, []
        )
        for job in rest {
            let isFull = group.count == mostAppends || weight > mostWeight
            if isFull || !documents.insert(job.append.document).inserted {
                later.append(job)
            } else {
                group.append(job)
                weight += job.append.changes.reduce(0) { $0 + $1.logged.weight }
            }
        }
        rest = later[...]
        return group
    }

    // MARK: A group

    /// The outcomes of appends to different documents; nil if the row of the document is locked. A single append waits
    /// for the lock, unless it did so before.
    private mutating func append(_ jobs: [AppendJob]) -> [AppendOutcome?] {
        let appends = jobs.map(\.append)
        let skipsLocked = jobs.count > 1 || jobs[0].retriedUntil != nil
        var plans: [Plan]
        do throws(PostgresFault) {
            // Nothing is appended yet, so all of this can be tried again.
            plans = try PostgresStore.tryingAgain { () throws(PostgresFault) in
                let undecided = try undecided(of: appends, skipsLocked)
                try load(appends)
                return try planned(appends, undecided)
            }
        } catch {
            return refused(jobs, error)
        }
        let prepared = plans.compactMap(\.prepared).sorted { $0.row.entry.id < $1.row.entry.id }
        if prepared.isEmpty { return plans.map(\.outcome) }
        do throws(PostgresFault) {
            let answer = try commit(prepared, skipsLocked)
            for (document, fault) in answer.damaged { lane.shared.close(damaged: document, fault) }
            for index in plans.indices { plans[index].apply(answer, skipsLocked) }
            let conflicts = plans.count { if case .conflict = $0.outcome { true } else { false } }
            if conflicts > 0 { lane.shared.onEvent(.conflicted(conflicts)) }
            remember(prepared, answer)
            return waited(for: jobs, plans.map(\.outcome))
        } catch {
            for append in prepared { rows.forget(append.row.entry.id) }
            if !error.endsConnection { return refused(jobs, error) }
            lane.shared.addUndecided(prepared.map(\.row.entry.id))
            return plans.map { $0.prepared == nil ? $0.outcome : .unknown }
        }
    }

    /// The documents whose last commit may still succeed or fail. Without `skipsLocked`, waits until none is left.
    private func undecided(
        of appends: [Append], _ skipsLocked: Bool
    ) throws(PostgresFault) -> Set<DocumentID> {
        let documents = appends.map(\.document)
        if skipsLocked { return try lane.undecided(of: documents) }
        try lane.waitForOutcomes(of: documents)
        return []
    }

    /// Another server locks a row only for a moment, so the first locked documents of a group are waited for.
    private mutating func waited(for jobs: [AppendJob], _ outcomes: [AppendOutcome?]) -> [AppendOutcome?] {
        if jobs.count == 1 { return outcomes }
        var outcomes = outcomes
        let locked = jobs.indices.filter { outcomes[$0] == nil && jobs[$0].retriedUntil == nil }
        for index in locked.prefix(AppendWriter.mostWaits) { outcomes[index] = append([jobs[index]])[0] }
        return outcomes
    }

    private func commit(
        _ prepared: [PreparedAppend], _ skipsLocked: Bool
    ) throws(PostgresFault) -> AppendStatement.Answer {
        let (lane, shared) = (lane, lane.shared)
        return try lane.run { connection throws(PostgresFault) in
            shared.onEvent(.committing(prepared.count))
            let began = ContinuousClock.now
            let answer = try AppendStatement(lane: lane).run(
                prepared, on: connection, skippingLocked: skipsLocked)
            // A commit with a warning may be missing on the standbys.
            if let warning = connection.takeWarning() { throw .notReplicated(warning) }
            if let commits = answer.commits { lane.committed(commits) }
            // Another connection may have renewed the epochs.
            if let found = answer.generation { shared.noteGeneration(found) }
            shared.onEvent(.committed(after: (.now - began).nanoseconds))
            shared.setDiskFull(false)
            return answer
        }
    }

    /// Nothing of the group was appended. If another append can be the reason, tries each append alone.
    private mutating func refused(_ jobs: [AppendJob], _ fault: PostgresFault) -> [AppendOutcome?] {
        if case .server(let error) = fault {
            if error.isLocked { return jobs.map { _ in nil } }
            if jobs.count > 1 { return jobs.flatMap { append([$0]) } }
        }
        lane.shared.report(fault)
        return jobs.map { _ in fault.appendOutcome }
    }

    // MARK: Rows

    /// Reads the rows that are not known, or that differ from what an append expects.
    private func load(_ appends: [Append]) throws(PostgresFault) {
        let missing = appends.filter { !rows.fits($0) }
        if missing.isEmpty { return }
        for append in missing { rows.forget(append.document) }
        let (generation, ids) = (lane.shared.generation.value, missing.map(\.document.value))
        let result = try lane.run(
            "SELECT \(DocumentRow.columns(.postgres)) FROM document WHERE id = ANY($1)", .integers(ids))
        for row in result.rows {
            do throws(DamagedRow) {
                rows.note(try DocumentRow(row.columns, generation: generation, .postgres))
            } catch {
                lane.shared.close(damaged: DocumentID(try row.integer(0)), .damagedRow(error.reason))
            }
        }
    }

    /// Stores the new rows of committed appends, and forgets the others.
    private func remember(_ prepared: [PreparedAppend], _ answer: AppendStatement.Answer) {
        var isDue: Set<DocumentID> = []
        for append in prepared {
            let id = append.row.entry.id
            guard let found = answer.rows[id], found.isAppended else {
                rows.forget(id)
                continue
            }
            var row = append.row
            row.unmergedSegments = found.unmergedSegments
            row.bytesSinceSnapshot = found.bytesSinceSnapshot
            rows.note(row)
            if UpkeepPolicy.isDue(row) { isDue.insert(id) }
        }
        due.add(isDue)
    }

    // MARK: Plans

    /// What becomes of one append.
    private struct Plan {
        /// Nil if the outcome is known without the statement.
        var prepared: PreparedAppend?
        /// Nil if the row of the document is locked.
        var outcome: AppendOutcome?

        mutating func apply(_ answer: AppendStatement.Answer, _ skipsLocked: Bool) {
            guard let prepared else { return }
            let isMissing = answer.rows[prepared.row.entry.id] == nil
            if answer.damaged[prepared.row.entry.id] != nil {
                outcome = .documentDamaged
                return
            }
            if isMissing, skipsLocked {
                outcome = nil
                return
            }
            guard let found = answer.rows[prepared.row.entry.id], !found.isDeleted,
                found.epoch == prepared.row.entry.epoch.document,
                answer.generation == prepared.row.entry.epoch.generation
            else {
                outcome = .documentGone
                return
            }
            outcome =
                found.isAppended
                ? .committed(head: prepared.row.entry.head) : .conflict(head: found.head)
        }
    }

    private mutating func planned(
        _ appends: [Append], _ undecided: Set<DocumentID>
    ) throws(PostgresFault) -> [Plan] {
        let pushers = Set(appends.flatMap { $0.changes.map(\.logged.pusher) })
        let numbers = try lane.run { [lane] connection throws(PostgresFault) in
            var table = AuthorTable(known: lane.authors)
            // Otherwise, the table would be copied when an author is added.
            lane.authors = AuthorCache()
            defer { lane.authors = table.known }
            return try table.numbers(of: pushers, connection)
        }
        let generation = lane.shared.generation.value
        return appends.map { append in
            if undecided.contains(append.document) { return Plan(outcome: nil) }
            let row = rows[append.document]
            if let outcome = AppendRules.refusal(of: append, row, generation, lane.shared) {
                return Plan(outcome: outcome)
            }
            guard let row, let prepared = PreparedAppend(append, after: row, authors: numbers, in: &columns)
            else { return Plan(outcome: .invalidChange) }
            // The outcome is replaced when PostgreSQL has answered.
            return Plan(prepared: prepared, outcome: .unknown)
        }
    }
}

/// Why an append is refused before anything is sent.
enum AppendRules {
    /// Nil if the append may be tried. `row` is nil if the document does not exist. It may be from before the epochs
    /// were renewed.
    static func refusal(
        of append: Append, _ row: DocumentRow?, _ generation: UInt64, _ shared: SharedState
    ) -> AppendOutcome? {
        if shared.isDamaged(append.document) { return .documentDamaged }
        guard let row, row.entry.deleted == nil, row.entry.epoch == append.epoch,
            append.epoch.generation == generation
        else { return .documentGone }
        if row.entry.head != append.expected { return .conflict(head: row.entry.head) }
        return nil
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}

extension PostgresFault {
    /// The outcome of an append of which nothing was committed.
    var appendOutcome: AppendOutcome { AppendOutcome(historyRefusal) }
}
