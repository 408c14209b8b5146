/// Jobs in the order in which they were added.
struct SerialQueue<Job> {
    private var jobs: [Job] = []
    private var first = 0

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
