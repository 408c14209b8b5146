import COpenSSL
import CaretTLS
import TestSupport
import Testing

@Suite("Clients resume sessions with tickets")
struct TicketTests {
    private let folder: CertificateFolder
    private let files: TLSFiles
    private let context: TLSServerContext

    init() throws {
        folder = try CertificateFolder()
        files = TLSFiles(try folder.make("server"))
        context = try TLSServerContext(files)
    }

    /// A new session of a client with this ticket, on which a text has arrived.
    private func client(
        _ version: Int32, _ ticket: OpenSSLClient.Ticket? = nil, at context: TLSServerContext? = nil
    ) -> OpenSSLClient {
        let client = OpenSSLClient(.init(version: version, ticket: ticket))
        let server = (context ?? self.context).makeSession()
        #expect(client.shakeHands(with: server) == .needsInput)
        client.send("x")
        #expect(client.pass(to: server).bytes == Array("x".utf8))
        return client
    }

    private func ticket(_ version: Int32) throws -> OpenSSLClient.Ticket {
        let first = client(version)
        #expect(!first.isResumed)
        return try #require(first.takeTicket())
    }

    @Test(
        "a ticket resumes its session after one renewal of keys", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func oneRenewal(version: Int32) throws {
        let ticket = try ticket(version)
        #expect(client(version, ticket).isResumed)
        context.renewTicketKeys()
        #expect(client(version, ticket).isResumed)
    }

    @Test("after two renewals, a ticket is not accepted", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func twoRenewals(version: Int32) throws {
        let ticket = try ticket(version)
        context.renewTicketKeys()
        context.renewTicketKeys()
        #expect(!client(version, ticket).isResumed)
    }

    @Test(
        "a ticket of the previous key is replaced by a new one", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func replacedTicket(version: Int32) throws {
        let old = try ticket(version)
        context.renewTicketKeys()
        let new = try #require(client(version, old).takeTicket())
        context.renewTicketKeys()
        #expect(!client(version, old).isResumed)
        #expect(client(version, new).isResumed)
    }

    @Test("a reload keeps both keys")
    func reload() throws {
        let older = try ticket(TLS1_3_VERSION)
        context.renewTicketKeys()
        let newer = try ticket(TLS1_3_VERSION)
        try context.reload()
        #expect(client(TLS1_3_VERSION, older).isResumed)
        #expect(client(TLS1_3_VERSION, newer).isResumed)
        context.renewTicketKeys()
        #expect(!client(TLS1_3_VERSION, older).isResumed)
        #expect(client(TLS1_3_VERSION, newer).isResumed)
    }

    @Test("a context with other files continues the keys of the earlier context")
    func otherFiles() throws {
        let ticket = try ticket(TLS1_3_VERSION)
        let other = TLSFiles(try folder.make("other"))
        #expect(
            client(TLS1_3_VERSION, ticket, at: try TLSServerContext(other, continuing: context)).isResumed)
        #expect(!client(TLS1_3_VERSION, ticket, at: try TLSServerContext(other)).isResumed)
    }

    @Test("a ticket of another server is not accepted")
    func otherServer() throws {
        let ticket = try ticket(TLS1_3_VERSION)
        #expect(!client(TLS1_3_VERSION, ticket, at: try TLSServerContext(files)).isResumed)
    }
}
