import CaretCore
import CaretLog
import CaretRooms
package import CaretWire

/// Sign-in by a proxy: the field in which it names the user of each request, and what this user may do.
package struct ProxySignIn: Sendable {
    /// The name of the field, as configured.
    private let header: String
    /// The same in lower-case letters.
    private let field: String
    /// How long a WebSocket or an event stream stays signed in, in milliseconds.
    private let life: Int64
    private let rights: [SignInRight]

    package init(header: String, lifeSeconds: Int, rights: [SignInRight]) {
        self.header = header
        field = header.lowercased()
        life = Int64(lifeSeconds) * 1_000
        self.rights = rights
    }

    func isIn(_ head: RequestHead) -> Bool { !head.fields[field].isEmpty }

    /// The user of a request that the proxy has sent. `start` is when a WebSocket or an event stream begins; nil for
    /// other requests, because each of them names its user.
    func identity(
        of head: RequestHead, isFromOwnPage: Bool, lastingFrom start: Int64?
    ) throws(ProxySignInFault) -> Identity {
        let values = head.fields[field]
        if values.count > 1 { throw ProxySignInFault(.severalUsers, "the proxy sent \(header) twice") }
        guard let value = values.first, !value.isEmpty else {
            throw ProxySignInFault(.noUser, "the proxy sent no user in \(header)")
        }
        // A browser adds the cookies of the proxy to what any page sends, so another page would act for the user.
        if !isFromOwnPage {
            throw ProxySignInFault(.otherPage, "\(header) counts only for pages of this server itself")
        }
        guard let name = String(validating: value, as: UTF8.self) else { throw badUser("is not UTF-8") }
        if name.utf8.elementsEqual(Identity.anonymous.user.utf8) {
            throw badUser("has the name of clients without a token")
        }
        // Otherwise ann/x would get a part of what belongs to ann.
        if rights.contains(where: \.namesUser), name.utf8.contains(UInt8(ascii: "/")) {
            throw badUser("contains a /, and sign_in_rights contains {user}")
        }
        do throws(DocumentName.Fault) {
            return Identity(
                user: try UserName(name).bytes, .proxied(until: start.map { $0 + life }),
                grants: try grants(of: name))
        } catch {
            throw badUser(error.problem)
        }
    }

    private func badUser(_ problem: String) -> ProxySignInFault {
        ProxySignInFault(.badUser, "the user in \(header) \(problem)")
    }

    private func grants(of user: String) throws(DocumentName.Fault) -> Grants {
        var grants: [Grant] = []
        for right in rights { grants.append(try Grant(right.grant(to: user))) }
        guard let grants = Grants(grants) else {
            preconditionFailure("the configuration has too many rights: \(rights.count)")
        }
        return grants
    }
}

/// Why a proxy's field signs nobody in.
package struct ProxySignInFault: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        case noUser, severalUsers, badUser, otherPage
    }

    package let kind: Kind
    package let description: String

    /// The field does not count beside `Authorization`, and a WebSocket has its token in `hello`.
    static let tokenInHello = ProxySignInFault(
        .noUser, "a WebSocket has its token in hello, and not in Authorization")

    init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
