import CaretWire

/// The program of a client. It receives the server's messages on the newest connection.
protocol Program: AnyObject {
    /// The server has sent `welcome`.
    func welcomed()
    /// The connection was closed or lost.
    func lost()
    func received(_ envelope: Envelope<ServerMessage>)
    func perform(_ operation: ClientOperation)
    /// All faults have ended. The program must now save everything.
    func finishWork()
    /// What the program still waits for; nil if its work is done.
    func unfinishedWork() -> String?
    /// Checks the program's state when all work is done. Fails the run if the state is wrong.
    func checkFinalState()
}
