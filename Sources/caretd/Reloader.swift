import CaretConfig
import CaretServer
import CaretSignIn
import CaretTLS

/// Reads the configuration again, checks all of it, and then applies the keys that can change while the
/// server runs. If anything is wrong, nothing changes.
struct Reloader: Sendable {
    let source: ConfigurationSource
    let server: Server
    let listeners: ListenerPolicy
    let certificate: ServerCertificate
    let signedTokens: SignedTokens
    let notifier: ServiceNotifier
    let log: LogWriter
    /// The settings with which the server runs.
    private(set) var settings: Settings

    init(
        of settings: Settings, from source: ConfigurationSource, _ server: Server,
        _ listeners: ListenerPolicy, _ certificate: ServerCertificate, _ signedTokens: SignedTokens,
        _ notifier: ServiceNotifier, _ log: LogWriter
    ) {
        self.settings = settings
        self.source = source
        self.server = server
        self.listeners = listeners
        self.certificate = certificate
        self.signedTokens = signedTokens
        self.notifier = notifier
        self.log = log
    }

    mutating func reload() {
        notifier.report(.reloading)
        do throws(InvalidConfiguration) {
            let plan = ReloadPlan(from: settings, to: try source.load().settings)
            if !plan.faults.isEmpty { throw InvalidConfiguration(faults: plan.faults) }
            let tokens = try readTokenKeys(plan.settings)
            try reloadCertificate(plan.settings)
            apply(plan, tokens)
            notifier.report(.ready)
        } catch {
            for fault in error.faults { log.write(LogEvent(.reloadFailed, .fault(fault))) }
            notifier.report(.reloadFailed)
        }
    }

    private func readTokenKeys(_ settings: Settings) throws(InvalidConfiguration) -> SignedTokens.Loaded? {
        do throws(TokenKeysFault) { return try SignedTokens.Loaded(settings) } catch {
            throw InvalidConfiguration(faults: ["token_keys: \(error)"])
        }
    }

    /// This is the last step that can fail, so it may change the certificate already.
    private func reloadCertificate(_ settings: Settings) throws(InvalidConfiguration) {
        do throws(TLSFault) {
            try certificate.reload(settings)
        } catch {
            throw InvalidConfiguration(faults: ["\(error)"])
        }
    }

    private mutating func apply(_ plan: ReloadPlan, _ tokens: SignedTokens.Loaded?) {
        // The line about the reload is written if the earlier or the new level allows it.
        log.setLevel(min(settings.logLevel, plan.settings.logLevel))
        settings = plan.settings
        var serverSettings = ServerSettings(settings)
        serverSettings.signingKeys = tokens?.marks ?? []
        listeners.reload(settings, certificate.context)
        serverSettings.guests = listeners.guests
        // The hub knows the new keys before a token with one of them is accepted.
        server.reload(serverSettings)
        signedTokens.use(tokens)
        log.write(LogEvent(.reloaded, .changed(plan.changed), .needsRestart(plan.needsRestart)))
        log.setLevel(settings.logLevel)
    }
}
