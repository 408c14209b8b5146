/// How a client introduces itself to the server, and what it does when its connection ends.
public struct ClientOptions: Sendable {
    /// The secret id by which the server recognises this client after reconnects and restarts: 8 to 64
    /// printable ASCII characters. If this is nil, the client chooses a random id.
    public var client: String?
    /// The access token, if the server requires one.
    public var token: String?
    /// A function of the app that returns an access token, or nil if the user has signed out. It takes precedence over
    /// `token`.
    ///
    /// The client calls it before it connects, some time before the token ends, and once after the server has said
    /// that the token has ended. If it throws, the client is offline and tries again.
    public var fetchToken: TokenSource?
    /// The name of the user, as the server knows it. If the token belongs to another user, the client ends before it
    /// sends any edit.
    public var user: String?
    /// The user's name and color, as other clients see them.
    public var person: PersonInfo?
    /// Whether the client connects again, after growing delays, whenever the connection ends. If false, the
    /// client tries each of its servers at most once, and ends if an answer is lost.
    public var reconnects: Bool
    /// In which order the client tries its servers, if it has several.
    public var serverOrder: ServerOrder
    /// The id of the store that the server must have. If the server has another store, the client ends before
    /// it sends a request.
    package var store: String?
    /// Whether the client may write to standard error why it is not connected. The command line says this itself.
    package var warnsOfFaults = true
    /// Without reconnects, each request throws the fault.
    var warns: Bool { reconnects && warnsOfFaults }

    public init(
        client: String? = nil, token: String? = nil, fetchToken: TokenSource? = nil, user: String? = nil,
        person: PersonInfo? = nil, reconnects: Bool = true,
        serverOrder: ServerOrder = .random
    ) {
        self.client = client
        self.token = token
        self.fetchToken = fetchToken
        self.user = user
        self.person = person
        self.reconnects = reconnects
        self.serverOrder = serverOrder
    }

    /// Options for a program that sends a few requests and then ends. The client does not reconnect.
    public static var oneShot: ClientOptions { ClientOptions(reconnects: false) }
}

/// Returns an access token for the user of the app, or nil if the user has signed out.
public typealias TokenSource = @Sendable () async throws -> String?
