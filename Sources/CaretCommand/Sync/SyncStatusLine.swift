import CaretSync

extension SyncStatus {
    func json(_ folder: String, _ address: String, _ names: SyncNames) -> JSON {
        var members: [(key: String, value: JSON)] = [("event", .text(word)), ("folder", .text(folder))]
        members.append(("server", .text(address)))
        switch self {
        case .begins(let counts, let store):
            members += [
                ("store", .text(store)), ("prefix", .text(names.prefix)), ("files", .number(counts.files)),
                ("docs", .number(counts.documents)), ("only_here", .number(counts.onlyHere)),
                ("only_there", .number(counts.onlyThere)),
            ]
        case .lost(let reason): members.append(("reason", .text(reason)))
        case .regained, .putBack: break
        }
        return .object(members)
    }

    private var word: String {
        switch self {
        case .begins: "syncing"
        case .lost: "server_lost"
        case .regained: "server_regained"
        case .putBack: "server_put_back"
        }
    }

    func line(_ folder: String, _ address: String, _ names: SyncNames) -> String {
        switch self {
        case .begins(let counts, _):
            let documents =
                names.prefix.isEmpty ? "all documents" : "the documents \(names.prefix.printable)…"
            return "syncing \(folder.printable) with \(documents) of \(address): "
                + "\(counts.onlyHere.counting("file")) only here, \(counts.onlyThere.counting("document")) only there, "
                + "\(counts.files - counts.onlyHere) in both"
        case .lost(let reason):
            return "\(reason.printable); files saved meanwhile are pushed when the server is back"
        case .regained(let address): return "\(address) is reachable again"
        case .putBack:
            return
                "the server has an older copy of its data: every line of the files and documents is kept, and what was deleted since may come back"
        }
    }
}
