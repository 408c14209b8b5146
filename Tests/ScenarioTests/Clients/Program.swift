import CaretWire

/// What runs on a client: it is told what the server says on the newest connection.
protocol Program: AnyObject {
    /// The server has let the client in.
    func welcomed()
    /// The connection is gone.
    func lost()
    func heard(_ envelope: Envelope<ServerMessage>)
    func does(_ deed: ClientDeed)
    /// All troubles are over: it sees that everything it has is saved.
    func settles()
    /// Why it is not at rest; nil where it is.
    func unrest() -> String?
    /// What is wrong with what it has, in a world at rest.
    func checkRest()
}
