import CaretConfig
import CaretLog
import CaretRooms
import CaretSignIn
import CaretWire
import Synchronization

/// The keys and rules of signed tokens in a running server. A reload reads the file of the keys again.
final class SignedTokens: Sendable {
    /// The keys of a file, and the rules of the configuration.
    struct Loaded: Sendable {
        let keys: TokenKeys
        let rules: TokenRules

        var marks: Set<ByteString> { Set(keys.marks.map(\.bytes)) }

        /// Nil if no keys are configured.
        init?(_ settings: Settings) throws(TokenKeysFault) {
            if settings.tokenKeys.isEmpty { return nil }
            keys = try TokenKeys.read(settings.tokenKeys)
            rules = TokenRules(
                audience: WireString(settings.tokenAudience),
                maxLifeSeconds: Int64(settings.tokenMaxLifeSeconds))
        }
    }

    /// Nil if no keys are configured.
    private let loaded: Mutex<Loaded?>

    init(_ settings: Settings) throws(TokenKeysFault) { loaded = Mutex(try Loaded(settings)) }

    func use(_ new: Loaded?) { loaded.withLock { $0 = new } }

    /// Returns the check of a signed token. Nil for other tokens, and if no keys are configured. `now` returns the time
    /// of the wall clock in milliseconds.
    func check(
        _ token: WireString, now: @escaping @Sendable () -> Int64
    ) -> (@Sendable () -> Authentication)? {
        guard TokenRules.isSigned(token.utf8), let loaded = loaded.withLock({ $0 }) else { return nil }
        return { loaded.authentication(of: token, at: now()) }
    }
}

extension SignedTokens.Loaded {
    fileprivate func authentication(of token: WireString, at now: Int64) -> Authentication {
        do throws(SignedTokenFault) {
            return .known(Identity(try rules.check(Array(token.utf8), with: keys, at: now)))
        } catch {
            if case .ended = error { return .ended("\(error)") }
            return .refused("\(error)")
        }
    }
}

extension Identity {
    fileprivate init(_ token: SignedToken) {
        self.init(
            user: token.user.bytes,
            .signed(
                SignedCredential(
                    key: token.key.bytes, issued: token.issued, end: token.end, id: token.id)),
            grants: token.grants, expires: token.expires,
            look: VerifiedLook(name: token.name, color: token.color))
    }
}
