import CaretFormat
import CaretLog

extension SQLiteStore {
    func run(_ call: TokenCall, _ waiting: WaitingCall) {
        switch call {
        case .add(let user, let grants, let expires, let time):
            writeTokens(waiting) { table throws(StoreFault) in
                .added(.success(try table.add(user, grants, expires: expires, at: time)))
            }
        case .revoke(let token):
            writeTokens(waiting) { table throws(StoreFault) in
                try table.revoke(token)
                return .revoked(nil)
            }
        case .noteUses(let uses):
            writeTokens(waiting) { table throws(StoreFault) in
                for use in uses { try table.note(use) }
                return .noted(nil)
            }
        case .noteEnds(let tokens):
            writeTokens(waiting) { table throws(StoreFault) in
                for token in tokens { try table.noteEnd(of: token) }
                return .noted(nil)
            }
        case .find(let text):
            lookupTokens(waiting) { table throws(StoreFault) in
                .found(.success(try table.token(shown: text)))
            }
        case .list(let after, let limit, let weight):
            lookupTokens(waiting) { table throws(StoreFault) in
                .listed(.success(try table.list(after: after, limit: limit, weighing: weight)))
            }
        case .live(let tokens):
            lookupTokens(waiting) { table throws(StoreFault) in .live(.success(try table.live(tokens))) }
        }
    }

    private func writeTokens(
        _ waiting: WaitingCall, _ body: @escaping @Sendable (TokenTable) throws(StoreFault) -> TokenAnswer
    ) {
        write(waiting) { writer throws(StoreFault) in .tokens(try body(TokenTable(database: writer.database)))
        }
    }

    private func lookupTokens(
        _ waiting: WaitingCall, _ body: @escaping @Sendable (TokenTable) throws(StoreFault) -> TokenAnswer
    ) {
        lookup(waiting) { reader throws(StoreFault) in
            .tokens(try body(TokenTable(database: reader.rows.database)))
        }
    }
}
