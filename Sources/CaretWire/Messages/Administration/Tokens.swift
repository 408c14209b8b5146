/// Requests a page of the tokens.
package struct ListTokens: WireMessage {
    package static var type: StaticString { "list_tokens" }

    /// The page begins after the token with this number.
    package var after: Int?
    package var limit: Int

    package init(after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// A token as listed by `tokens`.
package struct TokenSummary: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case sound(TokenDetails)
        /// The token's row is damaged. The token cannot be used, only revoked.
        case damaged
    }

    package var number: Int
    package var state: State

    package init(number: Int, _ state: State) {
        self.number = number
        self.state = state
    }

    fileprivate init(_ value: JSONValue, _ limits: Limits.Announced) throws(FieldFault) {
        let fields = try Fields(value, limits: limits)
        number = try fields.integer("number")
        if try fields.flag("damaged") {
            state = .damaged
            return
        }
        state = .sound(try TokenDetails(fields))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", number)
        switch state {
        case .sound(let token): token.writeMembers(to: &writer)
        case .damaged: writer.member("damaged", true)
        }
        writer.endObject()
    }
}

/// What `tokens` says about a token whose row is not damaged. Times are in milliseconds.
package struct TokenDetails: Equatable, Sendable {
    package var user: WireString
    package var created: Int
    /// When the token ends. Nil if the token has no end, or if an older server did not send this field.
    package var expires: Int?
    /// Nil if the token was never used, or if an older server did not send this field.
    package var lastUse: Int?
    package var grants: [WireGrant]

    package init(
        user: WireString, created: Int, expires: Int? = nil, lastUse: Int? = nil, grants: [WireGrant]
    ) {
        self.user = user
        self.created = created
        self.expires = expires
        self.lastUse = lastUse
        self.grants = grants
    }

    fileprivate init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        user = try fields.string("user")
        created = try fields.integer("created")
        expires = try fields.integer(optional: "expires")
        lastUse = try fields.integer(optional: "last_use")
        grants = try fields.array("grants") { value throws(FieldFault) in
            try WireGrant(value, atMost: .max, limits)
        }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("created", created)
        writer.member("expires", expires)
        writer.member("last_use", lastUse)
        writer.member("grants", grants)
    }
}

/// The answer to `list_tokens`.
package struct Tokens: WireMessage {
    package static var type: StaticString { "tokens" }

    package var tokens: [TokenSummary]
    /// More tokens follow the last one of this page.
    package var hasMore: Bool

    package init(_ tokens: [TokenSummary], hasMore: Bool = false) {
        self.tokens = tokens
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        tokens = try fields.array("tokens") { value throws(FieldFault) in try TokenSummary(value, limits) }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("tokens", tokens) { writer, token in token.write(to: &writer) }
        writer.member("more", ifTrue: hasMore)
    }
}

/// Creates a token for a user.
package struct AddToken: WireMessage {
    package static var type: StaticString { "add_token" }

    package var user: WireString
    package var grants: [WireGrant]
    /// When the token ends, in milliseconds; nil if it has no end.
    package var expires: Int?

    package init(user: WireString, grants: [WireGrant], expires: Int? = nil) {
        self.user = user
        self.grants = grants
        self.expires = expires
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        user = try fields.document("user")
        grants = try fields.array("grants", atMost: Limits.grants, orElse: .tooLarge) {
            value throws(FieldFault) in
            try WireGrant(value, atMost: Limits.name, limits)
        }
        expires = try fields.integer(optional: "expires")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("grants", grants)
        writer.member("expires", expires)
    }
}

/// The answer to `add_token`. No other message contains the text of a token.
package struct TokenAdded: WireMessage {
    package static var type: StaticString { "token_added" }

    package var number: Int
    /// The text that the token's user sends in `hello`.
    package var token: WireString

    package init(number: Int, token: WireString) {
        self.number = number
        self.token = token
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
        token = try fields.string("token")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("token", token)
    }
}

/// Revokes a token.
package struct RevokeToken: WireMessage {
    package static var type: StaticString { "revoke_token" }

    package var number: Int

    package init(number: Int) { self.number = number }

    init(_ fields: Fields) throws(FieldFault) { number = try fields.integer("number") }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("number", number) }
}
