/// How far a request has come that takes long: so many of so many.
public struct RequestProgress: Equatable, Sendable {
    public let done: Int
    public let all: Int

    package init(done: Int, of all: Int) {
        self.done = done
        self.all = all
    }
}
