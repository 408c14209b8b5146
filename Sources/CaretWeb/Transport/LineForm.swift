/// The form in which lines leave on a connection.
package enum LineForm: Equatable, Sendable {
    case lines
    /// Each line is a message of a WebSocket.
    case messages
    /// Each line is an event.
    case events(EventWriter.Form)
}
