/// What waits for a value that takes one thing after the other. Whoever is told first by one that tells another is told
/// first, whatever the delays: so it is with queues that take in at once and work later.
struct SerialQueue<Job> {
    private var jobs: [Job] = []
    private var first = 0
    /// It was put down when the queue goes on.
    var isAwake = false

    var isEmpty: Bool { first == jobs.count }

    mutating func append(_ job: Job) { jobs.append(job) }

    mutating func next() -> Job? {
        guard first < jobs.count else { return nil }
        first += 1
        let job = jobs[first - 1]
        if first == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            first = 0
        }
        return job
    }
}
