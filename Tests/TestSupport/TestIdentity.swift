package import CaretCore
package import CaretLog
package import CaretRooms

extension Identity {
    /// The identity of a client with a stored token, or without one if the number is 0.
    package init(
        user: ByteString, token: TokenID, grants: Grants, expires: Int64? = nil, hasEnded: Bool = false
    ) {
        let credential = token == .unneeded ? Credential.unneeded : .stored(token, hasEnded: hasEnded)
        self.init(user: user, credential, grants: grants, expires: expires)
    }
}

extension JoinRequest {
    /// The request of a client with a stored token, or without one if the number is 0.
    package init(
        connection: ConnectionID, pusher: Pusher, token: TokenID, grants: Grants, expires: Int64? = nil,
        unit: CodeUnit
    ) {
        self.init(
            connection: connection, pusher: pusher,
            identity: Identity(user: pusher.user, token: token, grants: grants, expires: expires), unit: unit)
    }
}
