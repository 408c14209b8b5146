import CaretConfig
import CaretLog
import CaretServer
import CaretTLS
import CaretWeb
import CaretWire
import Synchronization

/// What the listeners of a running server speak besides lines. A reload changes it for new connections.
final class ListenerPolicy: Sendable {
    private struct State {
        var settings: Settings
        var certificate: TLSServerContext?
        /// The addresses at which the server listens, with the ports that the system chose.
        var addresses: [ListenAddress] = []
    }

    /// The settings and the certificate change together, so that no connection gets a mixture.
    private let state: Mutex<State>

    init(_ settings: Settings, _ certificate: TLSServerContext?) {
        state = Mutex(State(settings: settings, certificate: certificate))
    }

    func reload(_ settings: Settings, _ certificate: TLSServerContext?) {
        state.withLock { ($0.settings, $0.certificate) = (settings, certificate) }
    }

    func add(_ address: ListenAddress) { state.withLock { $0.addresses.append(address) } }

    /// The address of the page for a browser. Nil if no listener serves HTTP. If other machines can reach the
    /// page, it is an address for them.
    var page: String? {
        let state = state.withLock { $0 }
        let served = state.addresses.filter { state.settings.servesWeb(at: $0) }
        guard let address = served.first(where: { !$0.isLoopback }) ?? served.first else { return nil }
        let isSecure = state.certificate != nil && state.settings.requiresTLS(at: address)
        let scheme = isSecure ? "https" : "http"
        if address.isLoopback { return "\(scheme)://\(address)/" }
        // HTTP is served to other machines only under these names.
        return state.settings.webHosts.first.map { "\(scheme)://\($0.host):\(address.port)/" }
    }

    /// The address for clients: as configured, or else one that the server listens at. Nil if there is none.
    var clientAddress: String? {
        let state = state.withLock { $0 }
        if !state.settings.address.isEmpty { return state.settings.address }
        guard let address = state.addresses.first(where: { !$0.isLoopback }) ?? state.addresses.first else {
            return nil
        }
        let isSecure = state.certificate != nil && state.settings.requiresTLS(at: address)
        // Other machines cannot connect to the address that stands for all addresses of this one.
        let reached = address.isWildcard ? "\(machineName):\(address.port)" : "\(address)"
        return (isSecure ? "carets://" : "") + reached
    }

    /// What clients without a token may read.
    var guests: Grants {
        let prefixes = state.withLock { $0.settings.guestRead }
        return Grants(prefixes.map { Grant(.read, to: .prefix(ByteString($0))) }) ?? .none
    }

    func protocols(at address: ListenAddress) -> ListenerProtocols {
        let state = state.withLock { $0 }
        let settings = state.settings
        return ListenerProtocols(
            web: settings.servesWeb(at: address) ? .tcp : nil,
            tls: state.certificate.map {
                ListenerTLS($0, isRequired: settings.requiresTLS(at: address))
            })
    }

    var protocolsAtAdminSocket: ListenerProtocols {
        ListenerProtocols(web: state.withLock { $0.settings.servesWeb } ? .adminSocket : nil)
    }
}

extension Settings {
    /// Whether the listener at an address serves HTTP. HTTP is served to other machines only under the names
    /// that the configuration allows.
    fileprivate func servesWeb(at address: ListenAddress) -> Bool {
        servesWeb && (address.isLoopback || !webHosts.isEmpty)
    }
}
