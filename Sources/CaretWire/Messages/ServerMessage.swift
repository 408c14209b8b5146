/// A message from the server to a client.
package enum ServerMessage: Equatable, Sendable {
    case welcome(Welcome)
    case opened(Opened)
    case closed(Closed)
    case ack(Ack)
    case change(WireChange)
    case check(Check)
    case peer(PeerChange)
    case listed(Listed)
    case document(DocumentSummary)
    case text(WireText)
    case revisions(Revisions)
    case tags(TagList)
    case done(Done)
    case gone(Gone)
    case ping(Ping)
    case pong(Pong)
    case resync(Resync)
    case rights(RightsChange)
    case bye(Bye)
    case error(ErrorReport)
    case admin(AdminAnswer)

    /// Decodes the message of this type; nil if the type is unknown. The most frequent types come first.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(WireChange.type) {
            self = .change(try WireChange(fields))
        } else if type.equals(PeerChange.type) {
            self = .peer(try PeerChange(fields))
        } else if type.equals(Ack.type) {
            self = .ack(try Ack(fields))
        } else if type.equals(Check.type) {
            self = .check(try Check(fields))
        } else if type.equals(Opened.type) {
            self = .opened(try Opened(fields))
        } else if type.equals(Closed.type) {
            self = .closed(try Closed(fields))
        } else if type.equals(Resync.type) {
            self = .resync(try Resync(fields))
        } else if type.equals(Gone.type) {
            self = .gone(try Gone(fields))
        } else if type.equals(RightsChange.type) {
            self = .rights(try RightsChange(fields))
        } else {
            try self.init(answer: type, fields)
        }
    }

    private init?(answer type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Welcome.type) {
            self = .welcome(try Welcome(fields))
        } else if type.equals(Listed.type) {
            self = .listed(try Listed(fields))
        } else if type.equals(DocumentSummary.type) {
            self = .document(try DocumentSummary(fields))
        } else if type.equals(WireText.type) {
            self = .text(try WireText(fields))
        } else if type.equals(Revisions.type) {
            self = .revisions(try Revisions(fields))
        } else if type.equals(TagList.type) {
            self = .tags(try TagList(fields))
        } else if type.equals(Done.type) {
            self = .done(Done())
        } else if type.equals(Ping.type) {
            self = .ping(Ping())
        } else if type.equals(Pong.type) {
            self = .pong(Pong())
        } else if type.equals(Bye.type) {
            self = .bye(try Bye(fields))
        } else if type.equals(ErrorReport.type) {
            self = .error(try ErrorReport(fields))
        } else if let answer = try AdminAnswer(type: type, fields) {
            self = .admin(answer)
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    package func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .welcome(let message): message.encode(id: id, into: &writer)
        case .opened(let message): message.encode(id: id, into: &writer)
        case .closed(let message): message.encode(id: id, into: &writer)
        case .ack(let message): message.encode(id: id, into: &writer)
        case .change(let message): message.encode(id: id, into: &writer)
        case .check(let message): message.encode(id: id, into: &writer)
        case .peer(let message): message.encode(id: id, into: &writer)
        case .listed(let message): message.encode(id: id, into: &writer)
        case .document(let message): message.encode(id: id, into: &writer)
        case .text(let message): message.encode(id: id, into: &writer)
        case .revisions(let message): message.encode(id: id, into: &writer)
        case .tags(let message): message.encode(id: id, into: &writer)
        case .done(let message): message.encode(id: id, into: &writer)
        case .gone(let message): message.encode(id: id, into: &writer)
        case .ping(let message): message.encode(id: id, into: &writer)
        case .pong(let message): message.encode(id: id, into: &writer)
        case .resync(let message): message.encode(id: id, into: &writer)
        case .rights(let message): message.encode(id: id, into: &writer)
        case .bye(let message): message.encode(id: id, into: &writer)
        case .error(let message): message.encode(id: id, into: &writer)
        case .admin(let answer): answer.encode(id: id, into: &writer)
        }
    }
}

extension Envelope<ServerMessage> {
    package func encode(into writer: inout JSONWriter) { message.encode(id: id, into: &writer) }
}
