import Foundation
import Testing

@Suite("Figures in the README") struct ReadmeFigureTests {
    @Test("the rate and the median ack of 32 people are those of the report, rounded")
    func writers() throws {
        let readme = try String(contentsOf: Repository.url(of: "README.md"), encoding: .utf8)
        let report = try String(contentsOf: Repository.url(of: "docs/report/README.md"), encoding: .utf8)
        let claim = try #require(
            readme.firstMatch(
                of: /32 people in one document push ([\d,]+) times a second .* median ack of ([\d.]+) ms/))
        let measured = try #require(report.firstMatch(of: /\n +32 writers +caretd +(\d+) +([\d.]+) ms/))
        let rate = try #require(Double(measured.1))
        let ack = try #require(Double(measured.2))
        #expect(Double(claim.1.replacing(",", with: "")) == (rate / 100).rounded() * 100)
        #expect(Double(claim.2) == (ack * 10).rounded() / 10)
    }
}
