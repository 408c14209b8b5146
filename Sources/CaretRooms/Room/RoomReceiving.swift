extension RoomState {
    /// What a connection or the hub tells the room.
    package mutating func received(_ event: RoomEvent) -> [RoomAction] {
        switch event {
        case .open(let opening): open(opening)
        case .rightsChanged(let session, let rights): rightsChanged(session, rights)
        case .rename(let name, let order): rename(to: name, order)
        case .delete(let order): delete(order)
        case .renewed: renewed()
        case .trimmed(let start): trimmed(start: start)
        case .leave(let session): leave(session)
        case .awaitPushes(let pusher, let connection): awaitPushes(of: pusher, for: connection)
        case .push(let push): self.push(push)
        case .select(let session, let select, let id): self.select(session, select, id)
        case .close(let session, let id): close(session, id: id)
        case .diverged(let session, let revision): diverged(session, revision)
        case .written(let session, let bytes): written(session, bytes: bytes)
        }
    }
}
