import CaretConfig
import CaretTLS
@preconcurrency import Dispatch
import Synchronization

/// The certificate of a running server. A reload reads its files again, or the files of another certificate.
final class ServerCertificate: Sendable {
    private struct Loaded {
        let files: TLSFiles
        let context: TLSServerContext

        init(_ files: TLSFiles, after earlier: TLSServerContext?) throws(TLSFault) {
            self.files = files
            context = try TLSServerContext(files, continuing: earlier)
        }
    }

    /// Nil if no certificate is configured.
    private let loaded: Mutex<Loaded?>
    private let log: LogWriter
    private let queue = DispatchQueue(label: "caretd.certificate")

    /// From this many days before the certificate expires, the server logs a warning each day.
    private static let warningDays = 14
    private static let secondsADay = 86_400
    /// For how many seconds the server issues session tickets with the same key. It accepts them twice as long.
    private static let ticketSeconds = 12 * 3_600

    init(_ settings: Settings, _ log: LogWriter) throws(TLSFault) {
        loaded = Mutex(try Self.load(TLSFiles(settings), after: nil))
        self.log = log
    }

    private static func load(
        _ files: TLSFiles?, after earlier: TLSServerContext?
    ) throws(TLSFault) -> Loaded? {
        guard let files else { return nil }
        return try Loaded(files, after: earlier)
    }

    /// New connections use this context. Nil if no certificate is configured.
    var context: TLSServerContext? { current?.context }

    private var current: Loaded? { loaded.withLock { $0 } }

    /// Starts the timers that warn of the certificate's end and renew the keys of session tickets. The result
    /// must be kept.
    func watch() -> [any DispatchSourceProtocol] {
        warnOfEnd()
        return [
            repeating(every: Self.secondsADay) { [self] in warnOfEnd() },
            repeating(every: Self.ticketSeconds) { [self] in context?.renewTicketKeys() },
        ]
    }

    private func repeating(
        every seconds: Int, _ action: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: action)
        timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds))
        timer.activate()
        return timer
    }

    /// Reads and checks the files that the settings name. If this fails, nothing changes. Only one thread may
    /// call this function at a time.
    func reload(_ settings: Settings) throws(TLSFault) {
        let (files, current) = (TLSFiles(settings), current)
        if let current, current.files == files {
            try current.context.reload()
        } else {
            let new = try Self.load(files, after: current?.context)
            loaded.withLock { $0 = new }
        }
        guard let context, let files else { return }
        log.write(
            LogEvent(
                .tlsReloaded, .path(files.certificate), .days(context.certificate.daysLeft(at: .now))))
        warnOfEnd()
    }

    private func warnOfEnd() {
        guard let current else { return }
        let days = current.context.certificate.daysLeft(at: .now)
        guard days < Self.warningDays else { return }
        log.write(LogEvent(.tlsEndsSoon, .path(current.files.certificate), .days(days)))
    }
}

extension TLSFiles {
    /// Nil if no certificate is configured.
    init?(_ settings: Settings) {
        guard settings.hasCertificate else { return nil }
        self.init(certificate: settings.tlsCertificate, key: settings.tlsKey)
    }
}
