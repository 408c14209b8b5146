import CaretCore

/// One message that a server sends to one or to all of the others with `NOTIFY`: words that are separated by spaces.
///
/// The first word names the server, its run, and how many messages the run has sent to all; or how many to one server,
/// and the run of that one. A server ignores a word that it does not know, so that a newer server can be started
/// beside it.
package struct BusMessage: Equatable {
    package enum Word: Equatable {
        case notification(PeerNotification)
        /// The sender needs the news of the documents in these slices, and of no others.
        case needs(DocumentSlices)
        /// Since it last said what it needs, the sender also needs these.
        case needsToo(DocumentSlices)
        /// The sender has sent so many messages to this server alone.
        case sent(Int64, to: NodeID)
        /// The sender asks all servers to say what they need.
        case asksForNeeds
    }

    package let sender: NodeID
    /// The number of the message, beginning at 1. A hole shows that a message was lost.
    package let number: Int64
    /// The run of the server to which alone the message was sent; nil if it was sent to all.
    package let recipient: UInt64?
    package let words: [Word]

    package var notifications: [PeerNotification] {
        words.compactMap { if case .notification(let one) = $0 { one } else { nil } }
    }

    /// PostgreSQL refuses longer messages.
    package static let mostBytes = 7_900

    /// The message as text, with as many words as fit. Removes them from `words`.
    package static func take(
        from words: inout ArraySlice<Word>, sender: NodeID, number: Int64, to recipient: UInt64? = nil
    ) -> String {
        var text = "\(text(of: sender)).\(number)"
        if let recipient { text += "." + String(recipient, radix: 36) }
        while let next = words.first {
            let word = self.text(of: next)
            if text.utf8.count + 1 + word.utf8.count <= mostBytes {
                text += " " + word
            } else if text.contains(" ") {
                break
            }
            // A word that is too long for any message is left out. The limits of names and ids allow no such word.
            words = words.dropFirst()
        }
        return text
    }

    private static func text(of node: NodeID) -> String { "\(node.node).\(String(node.run, radix: 36))" }

    private static func text(of word: Word) -> String {
        switch word {
        case .notification(let notification): text(of: notification)
        case .needs(let slices): "=" + slices.text
        case .needsToo(let slices): "+" + slices.text
        case .sent(let count, let node): "n\(text(of: node)).\(count)"
        case .asksForNeeds: "?"
        }
    }

    private static func text(of notification: PeerNotification) -> String {
        switch notification {
        case .head(let document, let revision): "h\(document.value).\(revision.value)"
        case .changed(let document): "c\(document.value)"
        case .revoked(let token): "t\(token.value)"
        case .signedOut: "o"
        case .joined(let pusher, let time): "j\(hex(pusher.user)).\(hex(pusher.client)).\(time)"
        case .selected(let session): text(of: session)
        case .left(let document, let session): "l\(document.value).\(hex(session))"
        case .roster(let document): "r\(document.value)"
        }
    }

    private static func text(of session: PublishedSession) -> String {
        let place = "s\(session.document.value).\(String(session.epoch, radix: 36)).\(session.revision.value)"
        let who = [session.session, session.user, session.client, session.info ?? ""].map(hex).joined(
            separator: ".")
        let selections = session.selections.prefix(PublishedSession.mostSelections)
            .map { "\($0.anchor.value)-\($0.head.value)" }.joined(separator: ",")
        return "\(place).\(session.moment).\(who).\(selections)"
    }

    // MARK: Reading

    /// Nil if the text is no message of a server.
    package init?(_ text: String) {
        var words = text.split(separator: " ", omittingEmptySubsequences: false)[...]
        guard let first = words.popFirst() else { return nil }
        let parts = first.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4, let sender = BusMessage.node(parts[0], parts[1]),
            let number = Int64(parts[2])
        else { return nil }
        if parts.count == 4 {
            guard let run = UInt64(parts[3], radix: 36) else { return nil }
            recipient = run
        } else {
            recipient = nil
        }
        (self.sender, self.number) = (sender, number)
        self.words = words.compactMap(BusMessage.word)
    }

    private static func node(_ number: Substring, _ run: Substring) -> NodeID? {
        guard let node = Int64(number), let run = UInt64(run, radix: 36) else { return nil }
        return NodeID(node: node, run: run)
    }

    private static func word(_ text: Substring) -> Word? {
        let rest = text.dropFirst()
        switch text.first {
        case "=": return DocumentSlices(text: rest).map { .needs($0) }
        case "+": return DocumentSlices(text: rest).map { .needsToo($0) }
        case "?" where rest.isEmpty: return .asksForNeeds
        case "n":
            let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let node = node(parts[0], parts[1]), let count = Int64(parts[2]) else {
                return nil
            }
            return .sent(count, to: node)
        default: return notification(text).map { .notification($0) }
        }
    }

    private static func notification(_ word: Substring) -> PeerNotification? {
        let parts = word.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.map { Int64($0) }
        switch (word.first, parts.count) {
        case ("h", 2):
            guard let document = numbers[0], let revision = numbers[1], let revision = Int(exactly: revision),
                revision >= 0
            else { return nil }
            return .head(DocumentID(document), Revision(revision))
        case ("c", 1): return numbers[0].map { .changed(DocumentID($0)) }
        case ("t", 1): return numbers[0].map { .revoked(TokenID($0)) }
        case ("o", 1): return .signedOut
        case ("j", 3):
            guard let user = bytes(parts[0]), let client = bytes(parts[1]), let time = numbers[2] else {
                return nil
            }
            return .joined(PublicPusher(user: user, client: client), at: time)
        case ("s", 9): return session(parts).map { .selected($0) }
        case ("l", 2):
            guard let document = numbers[0], let session = bytes(parts[1]) else { return nil }
            return .left(DocumentID(document), session)
        case ("r", 1): return numbers[0].map { .roster(DocumentID($0)) }
        default: return nil
        }
    }

    private static func session(_ parts: [Substring]) -> PublishedSession? {
        guard let document = Int64(parts[0]), let epoch = UInt64(parts[1], radix: 36),
            let revision = Int(parts[2]), revision >= 0, let moment = Int(parts[3]),
            let session = bytes(parts[4]), let user = bytes(parts[5]), let client = bytes(parts[6]),
            let info = bytes(parts[7]), let selections = selections(parts[8])
        else { return nil }
        return PublishedSession(
            document: DocumentID(document), epoch: epoch, revision: Revision(revision), session: session,
            user: user, client: client, info: info.utf8.isEmpty ? nil : info, moment: moment,
            selections: selections)
    }

    private static func selections(_ text: Substring) -> [Selection]? {
        var selections: [Selection] = []
        for word in text.split(separator: ",") {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count == 2, let anchor = ends[0], let head = ends[1], anchor >= 0, head >= 0 else {
                return nil
            }
            selections.append(Selection(anchor: Offset(anchor), head: Offset(head)))
        }
        return selections
    }

    // MARK: Hexadecimal digits

    private static func hex(_ bytes: ByteString) -> String {
        bytes.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ hex: Substring) -> ByteString? {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(16 * high + low))
        }
        return ByteString(utf8: bytes)
    }
}
