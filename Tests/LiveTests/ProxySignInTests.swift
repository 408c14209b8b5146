import Testing

@Suite("Sign-in by a proxy over sockets", .onOwnThread) struct ProxySignInTests {
    private static func server(proxy: String, _ options: [String: String] = [:]) throws -> LiveServer {
        let own = [
            "--require-tokens": "true", "--sign-in-header": "X-Forwarded-User", "--sign-in-proxies": proxy,
            "--sign-in-rights": "write:home/{user}/,read:public/",
        ]
        return try LiveServer(own.merging(options) { $1 })
    }

    private static func field(_ user: String) -> String { "X-Forwarded-User: \(user)" }

    /// Rule A27.
    @Test("each request on a kept connection has the rights of its own user, and none without a user")
    func users() throws {
        let server = try Self.server(proxy: "127.0.0.1")
        let client = try LineClient(server)
        let isNew = "If-None-Match: *"
        let created = try client.fetch("PUT /docs/home/ann/a", Self.field("ann"), isNew, body: "x")
        #expect(created.status == 201)
        for (user, status) in [
            ("ann", 200), ("bob", 404), ("ann", 200), ("", 401), ("ann", 200), ("anonymous", 401),
        ] {
            #expect(try client.fetch("GET /docs/home/ann/a", Self.field(user)).status == status, "\(user)")
        }
        let history = try client.fetch("GET /history/home/ann/a", Self.field("ann"))
        #expect(history.body.contains(#""user":"ann""#))
        #expect(
            try client.fetch("GET /docs", Self.field("ann"), "Authorization: Bearer x").code == "unauthorized"
        )
        try server.waitForLog(#/ info event=login_failed peer=127\.0\.0\.1:\d+ reason=no_user$/#)
        try server.waitForLog(#/ info event=login_failed peer=127\.0\.0\.1:\d+ reason=bad_user$/#)
    }

    /// Rules A27 and H12.
    @Test(
        "a request without a user never becomes a guest, and a client that is no proxy names nobody"
    )
    func guests() throws {
        let server = try Self.server(proxy: "127.0.0.1", ["--guest-read": "public/"])
        #expect(try LineClient(server).fetch("GET /docs", "X: 1").status == 401)
        let other = try Self.server(proxy: "192.0.2.1", ["--guest-read": "public/"])
        let client = try LineClient(other)
        #expect(try client.fetch("GET /docs", Self.field("ann")).status == 200)
        #expect(
            try client.fetch("PUT /docs/home/ann/a", Self.field("ann"), "If-None-Match: *", body: "x").status
                == 404)
        try other.waitForLog(#/ warning event=sign_in_header_dropped peer=127\.0\.0\.1:\d+$/#)
    }

    /// Rule A27.
    @Test("a proxy is believed whichever way its address is written, and an unlisted one is not")
    func addresses() throws {
        for (proxy, status) in [
            ("127.0.0.1", 200), ("::ffff:127.0.0.1", 200), ("192.0.2.1,127.0.0.1", 200), ("127.0.0.2", 401),
            ("::1", 401),
        ] {
            let server = try Self.server(proxy: proxy)
            let answer = try LineClient(server).fetch("GET /docs", Self.field("ann"))
            #expect(answer.status == status, "\(proxy)")
        }
    }

    /// Rule A27.
    @Test("the socket in the data folder ignores the field: its clients are administrators")
    func adminSocket() throws {
        let server = try Self.server(proxy: "127.0.0.1")
        let client = try LineClient(server, at: .adminSocket)
        for user in ["ann", "", "anonymous"] {
            let name = "user-\(user)"
            let created = try client.fetch(
                "PUT /docs/\(name)", Self.field(user), "If-None-Match: *", body: "x")
            #expect(created.status == 201)
            #expect(try client.fetch("GET /history/\(name)", "X: 1").body.contains(#""user":"admin""#))
        }
    }
}
