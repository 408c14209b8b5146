/// How much of a task is done.
package struct Progress: Equatable, Sendable {
    let done: Int
    let all: Int

    /// The remaining time is shown only after this time, because an earlier estimate would be unreliable.
    private static let firstGuess = Duration.seconds(2)

    package init(_ done: Int, of all: Int) { (self.done, self.all) = (min(done, all), all) }

    /// `12 %, 3 min left`; nil if there is nothing to do.
    package func words(after elapsed: Duration) -> String? {
        if all <= 0 { return nil }
        let percent = "\(Int(Double(done) / Double(all) * 100)) %"
        guard done > 0, done < all, elapsed >= Progress.firstGuess else { return percent }
        let left = (elapsed / Double(done) * Double(all - done)).components.seconds + 1
        return "\(percent), \(Progress.span(left)) left"
    }

    /// The two largest units are precise enough for a user who wonders whether to wait.
    private static func span(_ seconds: Int64) -> String {
        if seconds < 60 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        if minutes < 60 { return "\(minutes) min" }
        return "\(minutes / 60) h" + (minutes % 60 > 0 ? " \(minutes % 60) min" : "")
    }
}
