/// How a client presents itself, and what it does when its connection ends.
public struct ClientOptions: Sendable {
    /// What the server knows this client by over reconnects and restarts: 8 to 64 printable characters of ASCII, and a
    /// secret. One that is not said is chosen at random.
    public var client: String?
    /// What lets the client in, where the server asks for it.
    public var token: String?
    /// What others are told of the person.
    public var person: Person?
    /// Connects again, after growing pauses, whenever the connection ends; otherwise the first failure is the last.
    public var reconnects: Bool
    /// The store that the server must have; the connection ends before anything is asked where it has another one.
    package var store: String?

    public init(
        client: String? = nil, token: String? = nil, person: Person? = nil, reconnects: Bool = true
    ) {
        self.client = client
        self.token = token
        self.person = person
        self.reconnects = reconnects
    }

    /// For a program that asks something and ends.
    public static var oneShot: ClientOptions { ClientOptions(reconnects: false) }
}
