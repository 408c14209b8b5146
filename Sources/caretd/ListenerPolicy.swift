import CaretConfig
import CaretServer
import CaretTLS
import CaretWeb
import Synchronization

/// What the listeners of a running server speak besides lines. A reload changes it for new connections.
final class ListenerPolicy: Sendable {
    private struct State {
        var settings: Settings
        var certificate: TLSServerContext?
    }

    /// The settings and the certificate change together, so that no connection gets a mixture.
    private let state: Mutex<State>

    init(_ settings: Settings, _ certificate: TLSServerContext?) {
        state = Mutex(State(settings: settings, certificate: certificate))
    }

    func reload(_ settings: Settings, _ certificate: TLSServerContext?) {
        state.withLock { $0 = State(settings: settings, certificate: certificate) }
    }

    func protocols(at address: ListenAddress) -> ListenerProtocols {
        let state = state.withLock { $0 }
        let settings = state.settings
        // HTTP is served to other machines only under the names that the configuration allows.
        let servesWeb = settings.servesWeb && (address.isLoopback || !settings.webHosts.isEmpty)
        return ListenerProtocols(
            web: servesWeb ? .tcp : nil,
            tls: state.certificate.map {
                ListenerTLS($0, isRequired: settings.requiresTLS(at: address))
            })
    }

    var protocolsAtAdminSocket: ListenerProtocols {
        ListenerProtocols(web: state.withLock { $0.settings.servesWeb } ? .adminSocket : nil)
    }
}
