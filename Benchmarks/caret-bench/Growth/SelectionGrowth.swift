/// The cost of pushes and of selecting while the number of selections of one session grows.
enum SelectionGrowth {
    static let growth = Growth(
        "selections", in: "selections of one session", [1, 3, 10, 30, 100, 300, 1_000],
        ["push of a letter", "select"],
        about: """
            one client has so many carets in a text of 10 KB. Another client pushes a letter, or the first one selects
            so many carets again, as often as it can.
            """)

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let server = run.caretd()
        defer { server.end() }
        let client = PlainClient("bench-writer", port: server.port)
        client.make("growth", MeasuredServer.text)
        let writer = LetterWriter(client, "growth", length: Crowd.textBytes)
        let holder = PlainClient("bench-holder", port: server.port)
        _ = holder.open("growth")
        holder.select("growth", size, among: Crowd.textBytes, at: writer.revision)
        // A read returns after everything that the server sent before, so it empties the socket.
        func settle() { holder.read("growth") }
        let pushes = run.cost(server, settle: settle) { writer.push() }
        let selects = run.cost(server) {
            for _ in 0..<100 { holder.select("growth", size, among: Crowd.textBytes, at: writer.revision) }
            client.read("growth")
            settle()
        }
        return [pushes, selects / 100]
    }
}
