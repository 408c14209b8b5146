/// In which order a client tries its servers.
public enum ServerOrder: Sendable {
    /// In an order that each client chooses by chance, so that the clients spread over the servers. If a
    /// server stops, its clients spread over the others.
    case random
    /// In the order of the list: most clients then use the first server.
    case asListed
}

extension ServerRotation {
    package init(_ servers: [ServerAddress], _ order: ServerOrder) {
        switch order {
        case .random: self.init(servers) { $0.shuffled() }
        case .asListed: self.init(servers)
        }
    }
}
