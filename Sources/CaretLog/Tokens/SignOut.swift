/// Makes the signed tokens of a user invalid, or the signed tokens with one id.
package struct SignOut: Equatable, Sendable {
    package enum Subject: Hashable, Sendable {
        case user(ByteString)
        /// The claim `jti`.
        case token(ByteString)
    }

    package let subject: Subject
    /// Tokens that were issued before this time are invalid. It is in milliseconds.
    package let before: Int64

    package init(_ subject: Subject, before: Int64) { (self.subject, self.before) = (subject, before) }
}

/// Some of the sign-outs, in the order in which they were recorded.
package struct SignOutPage: Equatable, Sendable {
    package let signOuts: [SignOut]
    /// The number of the last one of this page, or the number that the page begins after.
    package let last: Int64
    package let hasMore: Bool

    package init(_ signOuts: [SignOut], last: Int64, hasMore: Bool) {
        self.signOuts = signOuts
        self.last = last
        self.hasMore = hasMore
    }
}
