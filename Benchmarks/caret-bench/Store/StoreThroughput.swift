import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport

/// Durable appends a second, compared to a bare loop of the same inserts in the same groups.
struct StoreThroughput {
    let base: BenchFolder
    let isQuick: Bool
    /// The numbers of documents to write to at once.
    let counts: [Int]

    /// The work of the store, or of the bare loop, in one slice of the run.
    private struct Slice {
        let appends: Int
        let wall: Double
        let processing: Double

        var perSecond: Double { Double(appends) / wall * 1e9 }
        var processingEach: Double { processing / Double(appends) }
    }

    private struct Outcome {
        var stores: [Slice] = []
        var bares: [Slice] = []
        var acks: [Double] = []
        var commits: [Double] = []
        var groups: [Int] = []
        var merges = 0
    }

    func run() async {
        var table = Table([
            "documents", "appends/s", "bare loop", "ratio", "lowest", "highest", "a group", "ack p50", "p99",
            "bare p50", "p99", "CPU", "bare CPU", "merges",
        ])
        var turns = Table(WriterTurns.headings)
        var plot = Plot("Durable appends a second", ["the store", "a bare loop of inserts"]) { $0.digits(0) }
        for documents in counts {
            let (outcome, writer) = await measured(documents)
            table.row(row(outcome, documents))
            let name = documents == 1 ? "1 document" : "\(documents) documents"
            writer.rows(in: &turns, named: name)
            plot.group(name, [outcome.stores, outcome.bares].map { $0.map(\.perSecond).median })
        }
        plot.draw(as: "store-appends")
        table.print(
            under: """
                Durable appends of one keystroke; each document has one append in flight. The store and a bare loop run in turns: medians of
                \(slices) slices of \((sliceLength / 1e9).digits(1)) s each. The bare loop runs the same statements with precomputed values, and merges nothing.
                Its groups have the sizes of the groups that the store has just committed. Each ratio is of one slice.
                CPU is the time of one append.
                """)
        turns.print(under: "How long each turn of the writer takes, in the same run")
    }

    private var slices: Int { isQuick ? 4 : 16 }
    private var sliceLength: Double { isQuick ? 0.3e9 : 1e9 }

    private func measured(_ count: Int) async -> (Outcome, WriterTurns) {
        let turns = WriterTurns()
        let store = SQLiteStore.opened(base.makeFolder("store-\(count)")) { turns.record($0) }
        let documents = await store.createDocuments(count) { "bench/document-\($0)" }
        let load = AppendLoad(store, documents)
        var bare = await bareLoop(documents)
        // The first run is not measured, because authors are created and files and caches grow during it.
        _ = await load.run(for: sliceLength / 4)
        bare.commit(count)
        var outcome = Outcome()
        for _ in 0..<slices {
            let (first, start, processed) = (turns.count, wallNanoseconds(), processNanoseconds())
            let acks = await load.run(for: sliceLength)
            outcome.stores.append(
                Slice(
                    appends: acks.count, wall: wallNanoseconds() - start,
                    processing: processNanoseconds() - processed))
            outcome.acks += acks
            await waitUntilIdle(turns)
            let groups = turns.turns(from: first)
            outcome.merges += groups.reduce(0) { $0 + $1.merges }
            let appends = groups.map(\.appends).filter { $0 > 0 }
            outcome.groups += appends
            outcome.bares.append(slice(of: &bare, appends, &outcome.commits))
        }
        await store.close()
        return (outcome, turns)
    }

    /// Waits until the upkeep has no work left.
    private func waitUntilIdle(_ turns: WriterTurns) async {
        var seen = -1
        while seen != turns.count {
            seen = turns.count
            // If the sleep fails, the loop only checks sooner.
            try? await Task.sleep(for: .milliseconds(30))
        }
    }

    private func slice(of bare: inout BareLoop, _ groups: [Int], _ commits: inout [Double]) -> Slice {
        let (start, processed) = (wallNanoseconds(), processNanoseconds())
        var (now, appends) = (start, 0)
        for group in groups {
            bare.commit(group)
            let end = wallNanoseconds()
            commits.append(end - now)
            now = end
            appends += group
        }
        return Slice(appends: appends, wall: now - start, processing: processNanoseconds() - processed)
    }

    /// A bare loop on a database that the store has made.
    private func bareLoop(_ documents: [DocumentEntry]) async -> BareLoop {
        let folder = base.makeFolder("bare-\(documents.count)")
        let store = SQLiteStore.opened(folder)
        let entries = await store.createDocuments(documents.count) { "bench/document-\($0)" }
        _ = await AppendLoad(store, entries).run(for: 0)
        await store.close()
        let pusher = SampleLog.ann
        let append = AppendLoad.append(to: documents[0], by: pusher, at: 100)
        let body = SegmentFormat.encoded(
            append.changes.map(\.logged), packing: .plain, authors: [Int64(documents.count / 2 + 1)])
        return BareLoop(
            path: folder + "/caret.sqlite", documents: documents.count, body: body)
    }

    private func row(_ outcome: Outcome, _ documents: Int) -> [String] {
        let ratios = zip(outcome.stores, outcome.bares).map { $0.perSecond / $1.perSecond }
        let group = Double(outcome.groups.reduce(0, +)) / Double(outcome.groups.count)
        return [
            String(documents), outcome.stores.map(\.perSecond).median.digits(0),
            outcome.bares.map(\.perSecond).median.digits(0), ratios.median.digits(2),
            (ratios.min() ?? 0).digits(2), (ratios.max() ?? 0).digits(2), group.digits(1),
            outcome.acks.median.time, outcome.acks.percentile(99).time, outcome.commits.median.time,
            outcome.commits.percentile(99).time, outcome.stores.map(\.processingEach).median.time,
            outcome.bares.map(\.processingEach).median.time, String(outcome.merges),
        ]
    }
}
