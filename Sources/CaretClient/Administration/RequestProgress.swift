/// The progress of a long request: `done` of `all` documents or pages are finished.
public struct RequestProgress: Equatable, Sendable {
    public let done: Int
    public let all: Int

    package init(done: Int, of all: Int) {
        self.done = done
        self.all = all
    }
}
