import CaretConcurrency
import CaretFormat
import CaretLog

extension PostgresStore {
    func run(_ call: TokenCall, _ waiting: WaitingCall) {
        switch call {
        case .add(let user, let grants, let expires, let time):
            writeTokens(waiting) { table throws(PostgresFault) in
                .added(.success(try table.add(user, grants, expires: expires, at: time)))
            }
        case .revoke(let token):
            writeTokens(waiting) { table throws(PostgresFault) in
                try table.revoke(token)
                return .revoked(nil)
            }
        case .noteUses(let uses):
            writeTokens(waiting) { table throws(PostgresFault) in
                try table.note(uses)
                return .noted(nil)
            }
        case .noteEnds(let tokens):
            writeTokens(waiting) { table throws(PostgresFault) in
                try table.noteEnds(of: tokens)
                return .noted(nil)
            }
        case .find(let text):
            readTokens(waiting) { table throws(PostgresFault) in
                .found(.success(try table.token(shown: text)))
            }
        case .list(let after, let limit, let weight):
            readTokens(waiting) { table throws(PostgresFault) in
                .listed(.success(try table.list(after: after, limit: limit, weighing: weight)))
            }
        case .live(let tokens):
            readTokens(waiting) { table throws(PostgresFault) in .live(.success(try table.live(tokens))) }
        }
    }

    private func writeTokens(
        _ waiting: WaitingCall,
        _ body: @escaping @Sendable (TokenTable) throws(PostgresFault) -> TokenAnswer
    ) {
        write(waiting) { writer throws(PostgresFault) in
            .tokens(try body(TokenTable(connection: writer.connection)))
        }
    }

    private func readTokens(
        _ waiting: WaitingCall,
        _ body: @escaping @Sendable (TokenTable) throws(PostgresFault) -> TokenAnswer
    ) {
        reads.async(as: .short) { readers in
            let answer = Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.run { connection throws(PostgresFault) in
                        StoreAnswer.tokens(try body(TokenTable(connection: connection)))
                    }
                }
            }
            waiting.answer(answer.mapError(\.historyRefusal))
        }
    }
}

extension PostgresRows {
    /// Runs `body` with the connection.
    func withConnection<Answer>(
        _ body: (PostgresConnection) throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        switch source {
        case .lane(let lane): try lane.run(body)
        case .transaction(let connection, _): try body(connection)
        }
    }
}
