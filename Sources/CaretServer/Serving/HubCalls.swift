import CaretConfig
import CaretLog
import CaretRooms
import CaretWire

/// The calls that the hub makes to the store and the server.
extension Switchboard {
    /// Calls the store, and sends the answer to the hub.
    func make(_ call: StoreCall, _ id: CallID) {
        store.run(call) { [self] answer in
            logTokenChange(answer, to: call)
            hub.enqueue(.event(.answered(id, answer)))
        }
    }

    /// Asks the server, and sends its progress and its answer to the hub.
    func administer(_ call: AdminCall, _ id: CallID) {
        administer(call) { [hub] in
            hub.enqueue(.event(.progressed(id, $0)))
        } _: { [hub] in
            hub.enqueue(.event(.administered(id, $0)))
        }
    }

    /// Logs added and revoked tokens, and sign-outs.
    private func logTokenChange(_ answer: StoreAnswer, to call: StoreCall) {
        switch (call, answer) {
        case (_, .tokens(.added(.success(let text)))):
            log.write(LogEvent(.tokenAdded, .token(text.token.value)))
        case (.tokens(.revoke(let token, _)), .tokens(.revoked(nil))):
            log.write(LogEvent(.tokenRevoked, .token(token.value)))
        case (.tokens(.signOut), .tokens(.noted(nil))): log.write(LogEvent(.userSignedOut))
        default: break
        }
    }
}
