/// What a sync has done, for people and for programs.
enum SyncReport: Equatable, Sendable {
    case pushed(revision: Int)
    /// Changes from elsewhere are in the file, made by these users.
    case written(revision: Int, by: [String])
    case renamedHere(to: String)
    case renamedElsewhere(to: String)
    case deletedHere
    case deletedElsewhere
    case leftAlone(LeftAlone)
    case refused(String)
    /// The system would not do what was to be done here.
    case heldBack(String)

    private var word: String {
        switch self {
        case .pushed: "pushed"
        case .written: "written"
        case .renamedHere, .renamedElsewhere: "renamed"
        case .deletedHere, .deletedElsewhere: "deleted"
        case .leftAlone: "left_alone"
        case .refused: "refused"
        case .heldBack: "held_back"
        }
    }

    func json(_ path: String, _ document: String) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("event", .text(word)), ("file", .text(path)), ("doc", .text(document)),
        ]
        switch self {
        case .pushed(let revision): members.append(("rev", .number(revision)))
        case .written(let revision, let users):
            members += [("rev", .number(revision)), ("by", .list(users.map { .text($0) }))]
        case .renamedHere(let new): members += [("to", .text(new)), ("by", .text("here"))]
        case .renamedElsewhere(let new): members += [("to", .text(new)), ("by", .text("elsewhere"))]
        case .deletedHere: members.append(("by", .text("here")))
        case .deletedElsewhere: members.append(("by", .text("elsewhere")))
        case .leftAlone(let reason): members.append(("reason", .text(reason.words)))
        case .refused(let reason), .heldBack(let reason): members.append(("reason", .text(reason)))
        }
        return .object(members)
    }

    func line(_ path: String, _ style: Style) -> String {
        let path = style.painted(path.harmless, .place)
        return switch self {
        case .pushed(let revision): "\(path) → revision \(revision)"
        case .written(let revision, let users):
            "\(path) ← revision \(revision)"
                + (users.isEmpty ? "" : " by \(users.map(\.harmless).joined(separator: ", "))")
        case .renamedHere(let new): "\(path) → renamed \(new.harmless)"
        case .renamedElsewhere(let new): "\(path) ← renamed \(new.harmless)"
        case .deletedHere: "\(path) → deleted"
        case .deletedElsewhere: "\(path) ← deleted"
        case .leftAlone(let reason): "\(path) \(reason.words.harmless)"
        case .refused(let reason): "\(path) not pushed: \(reason.harmless)"
        case .heldBack(let reason): "\(path) held back: \(reason.harmless)"
        }
    }
}
