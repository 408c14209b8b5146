import CaretConfig
import CaretCore
import CaretFormat
import CaretLog
import CaretRooms
import CaretServer
import CaretWeb
import CaretWire
import Glibc

// Converts the configuration to the settings of the server and of the store.

extension ServerSettings {
    init(_ settings: Settings) {
        self.init(
            name: WireString("caret/\(Version.number)"),
            loops: settings.loops == 0 ? ServerSettings.cores : settings.loops,
            roomQueues: settings.roomQueues == 0 ? ServerSettings.cores : settings.roomQueues)
        limits = settings.limits
        node = WireString(settings.nodeName)
        pageTokenPath = settings.pageTokenPath
        siteGuard = SiteGuard(hosts: settings.webHosts, sites: settings.webOrigins)
        if settings.signInHeader.isEmpty { return }
        proxySignIn = ProxySignIn(
            header: settings.signInHeader, lifeSeconds: settings.signInLifeSeconds,
            rights: settings.signInRights)
        proxies = Set(settings.signInProxies.map { SocketAddress($0.address).machine })
    }
}

extension Settings {
    /// The name of this server among those that use one database.
    var nodeName: String { node.isEmpty ? machineName : node }
}

/// The name of this machine.
var machineName: String {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays 0, even if the name is cut.
    guard gethostname(&name, name.count - 1) == 0 else { return "caretd" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension StoreSettings {
    init(_ settings: Settings) {
        self.init()
        switch settings.keepHistory {
        case .forever: keepHistory = .all
        case .seconds(let seconds): keepHistory = .time(Int64(seconds) * 1_000)
        case .revisions(let count): keepHistory = .revisions(count)
        }
        keepDeleted = Int64(settings.keepDeletedSeconds) * 1_000
        keepPushers = Int64(settings.limits.pusherDays) * StoreSettings.day
        roundEvery = .seconds(settings.upkeepSeconds)
    }
}

extension SocketAddress {
    init(_ address: ListenAddress) {
        let number = { (range: Range<Int>) in address.bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        switch address.family {
        case .ipv4: self = .ip4(UInt32(number(0..<4)), port: address.port)
        case .ipv6: self = .ip6(number(0..<8), number(8..<16), scope: 0, port: address.port)
        }
    }
}

/// Admits every client without a token: as admin on the admin socket, otherwise as an anonymous user with all
/// rights.
struct AnonymousAuthenticator: Authenticator {
    func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        switch listenerKind {
        case .address: completion(.known(.anonymous))
        case .adminSocket: completion(.known(.admin))
        }
    }
}
