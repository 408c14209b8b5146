import CaretConfig
import CaretTLS
@preconcurrency import Dispatch
import Glibc

/// The certificate of a running server. On SIGHUP, the server reads the certificate's files again.
final class ServerCertificate: Sendable {
    let context: TLSServerContext
    private let files: TLSFiles
    private let log: LogWriter
    private let queue = DispatchQueue(label: "caretd.certificate")

    /// From this many days before the certificate expires, the server logs a warning each day.
    private static let warningDays = 14
    private static let secondsADay = 86_400
    /// For how many seconds the server uses the same keys for session tickets.
    private static let ticketSeconds = 12 * 3_600

    /// Nil if no certificate is configured.
    init?(_ settings: Settings, _ log: LogWriter) throws(TLSFault) {
        guard let files = TLSFiles(settings) else { return nil }
        context = try TLSServerContext(files)
        self.files = files
        self.log = log
    }

    /// Starts to watch for SIGHUP and for the end of the certificate. The result must be kept.
    func watch() -> [any DispatchSourceProtocol] {
        warnOfEnd()
        // Without this, SIGHUP would end the process.
        signal(SIGHUP, SIG_IGN)
        let hangUp = DispatchSource.makeSignalSource(signal: SIGHUP, queue: queue)
        hangUp.setEventHandler { [self] in reload() }
        hangUp.activate()
        return [
            hangUp, repeating(every: Self.secondsADay) { [self] in warnOfEnd() },
            repeating(every: Self.ticketSeconds) { [self] in context.renewTicketKeys() },
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

    private var daysLeft: Int { context.certificate.daysLeft(at: .now) }

    private func reload() {
        do throws(TLSFault) {
            try context.reload()
            log.write(LogEvent(.tlsReloaded, .path(files.certificate), .days(daysLeft)))
            warnOfEnd()
        } catch {
            log.write(LogEvent(.tlsFailed, .path(files.certificate), .reason(error.logWord)))
        }
    }

    private func warnOfEnd() {
        guard daysLeft < Self.warningDays else { return }
        log.write(LogEvent(.tlsEndsSoon, .path(files.certificate), .days(daysLeft)))
    }
}

extension TLSFiles {
    /// Nil if no certificate is configured.
    init?(_ settings: Settings) {
        guard settings.hasCertificate else { return nil }
        self.init(certificate: settings.tlsCertificate, key: settings.tlsKey)
    }
}

extension TLSFault {
    fileprivate var logWord: LogWord {
        switch self {
        case .unreadable: "unreadable"
        case .tooLarge: "too_large"
        case .notCertificate: "not_a_certificate"
        case .notKey: "not_a_key"
        case .keyReadableByOthers: "key_readable_by_others"
        case .wrongKey: "wrong_key"
        case .certificateEnded: "ended"
        case .certificateNotYetValid: "not_yet_valid"
        case .refused, .serverCertificateEnded, .serverCertificateNotYetValid, .wrongHost, .unknownIssuer,
            .notPinned, .serverCertificateRefused, .notTLS, .alert, .floodedWithRequests, .failed:
            "refused"
        }
    }
}
