/// A message from a client to the server.
package enum ClientMessage: Equatable, Sendable {
    case hello(Hello)
    case open(Open)
    case close(Close)
    case push(Push)
    case select(Select)
    case diverged(Diverged)
    case list(List)
    case read(Read)
    case history(History)
    case restore(Restore)
    case follow(Follow)
    case unfollow(Unfollow)
    case rename(Rename)
    case delete(Delete)
    case tags(TagRequest)
    case ping(Ping)
    case pong(Pong)
    case admin(AdminRequest)

    /// Decodes the message of this type; nil if the type is unknown. The most frequent types come first.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Push.type) {
            self = .push(try Push(fields))
        } else if type.equals(Select.type) {
            self = .select(try Select(fields))
        } else if type.equals(Ping.type) {
            self = .ping(Ping())
        } else if type.equals(Pong.type) {
            self = .pong(Pong())
        } else if type.equals(Hello.type) {
            self = .hello(try Hello(fields))
        } else if type.equals(Open.type) {
            self = .open(try Open(fields))
        } else if type.equals(Close.type) {
            self = .close(try Close(fields))
        } else if type.equals(Diverged.type) {
            self = .diverged(try Diverged(fields))
        } else {
            try self.init(request: type, fields)
        }
    }

    private init?(request type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(List.type) {
            self = .list(try List(fields))
        } else if type.equals(Read.type) {
            self = .read(try Read(fields))
        } else if type.equals(History.type) {
            self = .history(try History(fields))
        } else if type.equals(Restore.type) {
            self = .restore(try Restore(fields))
        } else if type.equals(Follow.type) {
            self = .follow(try Follow(fields))
        } else if type.equals(Unfollow.type) {
            self = .unfollow(Unfollow())
        } else if type.equals(Rename.type) {
            self = .rename(try Rename(fields))
        } else if type.equals(Delete.type) {
            self = .delete(try Delete(fields))
        } else if let request = try TagRequest(type: type, fields) {
            self = .tags(request)
        } else if let request = try AdminRequest(type: type, fields) {
            self = .admin(request)
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    package func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .hello(let message): message.encode(id: id, into: &writer)
        case .open(let message): message.encode(id: id, into: &writer)
        case .close(let message): message.encode(id: id, into: &writer)
        case .push(let message): message.encode(id: id, into: &writer)
        case .select(let message): message.encode(id: id, into: &writer)
        case .diverged(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        case .read(let message): message.encode(id: id, into: &writer)
        case .history(let message): message.encode(id: id, into: &writer)
        case .restore(let message): message.encode(id: id, into: &writer)
        case .follow(let message): message.encode(id: id, into: &writer)
        case .unfollow(let message): message.encode(id: id, into: &writer)
        case .rename(let message): message.encode(id: id, into: &writer)
        case .delete(let message): message.encode(id: id, into: &writer)
        case .tags(let request): request.encode(id: id, into: &writer)
        case .ping(let message): message.encode(id: id, into: &writer)
        case .pong(let message): message.encode(id: id, into: &writer)
        case .admin(let request): request.encode(id: id, into: &writer)
        }
    }
}

extension Envelope<ClientMessage> {
    package func encode(into writer: inout JSONWriter) { message.encode(id: id, into: &writer) }
}
