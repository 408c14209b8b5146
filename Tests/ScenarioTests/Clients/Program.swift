import CaretWire

/// The program of a client. It receives the server's messages on the newest connection.
protocol Program: AnyObject {
    /// The server has sent `welcome`.
    func welcomed()
    /// The connection is gone.
    func lost()
    func heard(_ envelope: Envelope<ServerMessage>)
    func does(_ deed: ClientDeed)
    /// All faults have ended: the program must get everything saved.
    func settles()
    /// Why it is not at rest; nil if it is.
    func unrest() -> String?
    /// Fails the run if its state is wrong in a world at rest.
    func checkRest()
}
