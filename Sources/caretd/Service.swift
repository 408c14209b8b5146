import CaretConfig
import CaretFormat
import CaretLog
import CaretRooms
import CaretServer
import CaretTLS
import CaretWeb
import CaretWire
@preconcurrency import Dispatch
import Glibc

/// One run of the server, from its configuration to its exit code.
struct Service {
    private let configuration: Configuration
    private let source: ConfigurationSource
    private let log: LogWriter
    private let notifier: ServiceNotifier
    private let counters = CounterBoard()

    private var settings: Settings { configuration.settings }

    /// How long a stopping server waits for its clients. The documentation promises an end within five
    /// seconds.
    private static let stopsWithin = Duration.seconds(4)

    /// If fewer connections than this are possible, the server logs a warning.
    private static let fewConnections = 100

    /// `source` is read again at each reload.
    init(_ configuration: Configuration, from source: ConfigurationSource) {
        self.configuration = configuration
        self.source = source
        log = LogWriter(format: configuration.settings.logFormat, level: configuration.settings.logLevel)
        notifier = ServiceNotifier(source.environment, log)
    }

    func run(until signals: ServerSignals) async -> Int32 {
        // A write to a closed connection must return an error instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        Service.raiseDescriptorLimit()
        log.write(LogEvent(.starting, .version(Version.word), .process(Int(getpid())), .path(settings.data)))
        for name in configuration.ignoredVariables { log.write(LogEvent(.variableIgnored, .variable(name))) }
        if settings.allowsAnyoneFromAnywhere { log.write(LogEvent(.openToAnyone)) }
        let memory = MemoryWatch { [log] in log.write(LogEvent(.memoryReturned, .bytes($0))) }
        defer { withExtendedLifetime(memory) {} }
        let code = await serveWithFiles(until: signals)
        log.write(LogEvent(.stopped))
        log.close()
        return code
    }

    /// Raises the limit of descriptors to its maximum, because each connection needs one.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If this fails, the server continues with the current limit.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func serveWithFiles(until signals: ServerSignals) async -> Int32 {
        do {
            let certificate = try ServerCertificate(settings, log)
            let signedTokens = try SignedTokens(settings)
            let watches = certificate.watch()
            defer { withExtendedLifetime(watches) {} }
            return await serve(until: signals, with: certificate, signedTokens)
        } catch {
            StandardStream.error.write("caretd: \(error)\n")
            return 1
        }
    }

    private func serve(
        until signals: ServerSignals, with certificate: ServerCertificate, _ signedTokens: SignedTokens
    ) async -> Int32 {
        let stop = Task { await signals.firstStop() }
        let store: OpenStore
        switch await opened(until: stop) {
        case .success(nil): return 0
        case .success(let opened?): store = opened
        case .failure(let failure):
            StandardStream.error.write("caretd: \(failure)\n")
            return 1
        }
        let listeners = ListenerPolicy(settings, certificate.context)
        guard let server = await started(on: store.served, listeners, signedTokens) else {
            await store.close()
            return 1
        }
        let capacity = server.spareConnections
        if capacity < Service.fewConnections { log.write(LogEvent(.fewDescriptors, .count(capacity))) }
        log.write(LogEvent(.ready))
        notifier.report(.ready)
        let reloader = Reloader(
            of: settings, from: source, server, listeners, certificate, signedTokens, notifier, log)
        let signal = await stopSignal(stop, signals.reloads, with: reloader)
        log.write(LogEvent(.stopping, .signal(signal)))
        notifier.report(.stopping)
        await server.stop(within: Service.stopsWithin)
        await store.close()
        return store.hasLostData ? 1 : 0
    }

    /// Nil if the server was stopped before the store could be opened.
    private func opened(until stop: Task<Int32, Never>) async -> Result<OpenStore?, StoreFailure> {
        let opening = Task { () -> Result<OpenStore?, StoreFailure> in
            do throws(StoreFailure) {
                return .success(try await OpenStore.open(settings, log, counters.makeCounters()))
            } catch {
                return .failure(error)
            }
        }
        let stopping = Task {
            _ = await stop.value
            opening.cancel()
        }
        defer { stopping.cancel() }
        return await opening.value
    }

    /// Reloads the configuration at each SIGHUP, until a signal to stop arrives. Returns that signal.
    private func stopSignal(
        _ stop: Task<Int32, Never>, _ reloads: AsyncStream<Void>, with reloader: Reloader
    ) async -> Int32 {
        let reloading = Task {
            var reloader = reloader
            for await _ in reloads { reloader.reload() }
        }
        let signal = await stop.value
        // A reload that has begun is completed first. SIGHUP does nothing while the server stops.
        reloading.cancel()
        await reloading.value
        return signal
    }

    // MARK: The listeners

    private func started(
        on store: any ServedStore, _ listeners: ListenerPolicy, _ signedTokens: SignedTokens
    ) async -> Server? {
        do {
            let authenticator: any Authenticator =
                settings.requiresTokens
                ? tokenAuthenticator(store, signedTokens, listeners) : AnonymousAuthenticator()
            var serverSettings = ServerSettings(settings)
            serverSettings.page = { listeners.page.map { WireString($0) } }
            serverSettings.address = { listeners.clientAddress.map { WireString($0) } }
            let server = try Server(
                serverSettings, store: store, in: settings.data, authenticator: authenticator,
                counters: counters, log: log)
            for address in settings.listen {
                try await listen(server, at: SocketAddress(address), for: address, listeners)
            }
            if settings.hasAdminSocket { try await listenForAdmin(server, listeners) }
            return server
        } catch {
            StandardStream.error.write("caretd: \(error)\n")
            return nil
        }
    }

    private func tokenAuthenticator(
        _ store: any ServedStore, _ signedTokens: SignedTokens, _ listeners: ListenerPolicy
    ) -> TokenAuthenticator {
        TokenAuthenticator(
            store, signedCheck: { token in signedTokens.check(token) { store.now } },
            guests: { listeners.guests },
            refused: { [log] in log.write(LogEvent(.guessingSlowed, $0.field)) },
            failed: { [log] in log.write(LogEvent(.loginFailed, $0.field, .reason($1.logWord))) })
    }

    private func listen(
        _ server: Server, at address: SocketAddress, for configured: ListenAddress,
        _ listeners: ListenerPolicy
    ) async throws(ListenerFault) {
        do throws(ListenFault) {
            let found = try await server.listen(
                at: address, speaking: { listeners.protocols(at: configured) }, as: { .address($0) })
            let address = configured.with(port: found.port ?? 0)
            listeners.add(address)
            log.write(LogEvent(.listening, .transport(.tcp), .address(address)))
        } catch {
            log.write(LogEvent(.cannotListen, .transport(.tcp), .address(configured)))
            throw ListenerFault(address: configured.description, fault: error)
        }
    }

    private func listenForAdmin(
        _ server: Server, _ listeners: ListenerPolicy
    ) async throws(ListenerFault) {
        let path = settings.adminSocketPath
        do throws(ListenFault) {
            _ = try await server.listen(
                at: .unix(path: path), speaking: { listeners.protocolsAtAdminSocket },
                as: { _ in .adminSocket })
            log.write(LogEvent(.listening, .transport(.unix), .path(path)))
        } catch {
            log.write(LogEvent(.cannotListen, .transport(.unix), .path(path)))
            throw ListenerFault(address: path, fault: error)
        }
    }
}

/// Reports an address on which the server cannot listen, with the reason.
private struct ListenerFault: Error, CustomStringConvertible {
    /// The address as written in the configuration.
    let address: String
    let fault: ListenFault

    var description: String { "\(address): \(fault)" }
}

extension TokenAuthenticator.Failure {
    fileprivate var logWord: LogWord {
        switch self {
        case .unknownToken: "unknown_token"
        case .noToken: "no_token"
        case .badToken: "bad_token"
        }
    }
}
