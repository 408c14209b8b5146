import CaretCore
import Testing

/// Computes the answer for each kind of case that the fixtures' README names.
enum FixtureKind: String, CaseIterable {
    case apply, carets, compose, diff, invert, map
    case normalForm = "normal-form"
    case rebase, text, units

    func answer(to one: FixtureCase) throws -> FixtureAnswer {
        switch self {
        case .apply: FixtureAnswer(try one.text(\.text).applying(one.change(\.change)))
        case .carets: FixtureAnswer(try one.readSelection().mapped(through: one.difference()))
        case .compose: FixtureAnswer(try one.change(\.first).composed(with: one.change(\.second)))
        case .diff: FixtureAnswer(try one.difference())
        case .invert: FixtureAnswer(try one.change(\.change).inverted(in: one.text(\.text)))
        case .map: try mapped(one)
        case .normalForm: FixtureAnswer(try one.change(\.edits))
        case .rebase:
            FixtureAnswer(try one.change(\.change).rebased(over: one.change(\.over), tie: one.readTie()))
        case .text: FixtureAnswer(try one.textOfBytes().length)
        case .units: .offset(try one.convertedOffset())
        }
    }

    /// Whether the texts of the case agree: applying its changes in each possible order gives the expected
    /// text.
    func holdsLaw(_ one: FixtureCase) throws -> Bool {
        switch self {
        case .apply, .carets, .map, .normalForm, .text, .units: return true
        case .diff: return try one.text(\.old).applying(one.expectedChange()) == one.text(\.new)
        case .invert:
            let before = try one.text(\.text)
            return try before.applying(one.change(\.change)).applying(one.expectedChange()) == before
        case .compose: return try one.text == nil || composesAsInTurn(one)
        case .rebase: return try one.text == nil || givesOneText(one)
        }
    }

    private func mapped(_ one: FixtureCase) throws -> FixtureAnswer {
        let change = try one.change(\.change)
        if let caret = one.caret { return .offset(Offset(caret).mapped(through: change).value) }
        return FixtureAnswer(try one.readSelection().mapped(through: change))
    }

    private func composesAsInTurn(_ one: FixtureCase) throws -> Bool {
        let (before, both) = (try one.text(\.text), try one.text(\.both))
        return try before.applying(one.change(\.first)).applying(one.change(\.second)) == both
            && before.applying(one.expectedChange()) == both
    }

    private func givesOneText(_ one: FixtureCase) throws -> Bool {
        let (before, both) = (try one.text(\.text), try one.text(\.both))
        let (mine, other) = (try one.change(\.change), try one.change(\.over))
        let tie: Tie = try one.readTie() == .otherFirst ? .selfFirst : .otherFirst
        return try before.applying(other).applying(one.expectedChange()) == both
            && before.applying(mine).applying(other.rebased(over: mine, tie: tie)) == both
    }
}

@Suite("The published test fixtures")
struct FixtureTests {
    @Test("every case of a published fixture gives the expected answer", arguments: try Fixture.names())
    func fixture(name: String) throws {
        let fixture = try Fixture(named: name)
        let kind = try #require(FixtureKind(rawValue: fixture.kind), "unknown kind \(fixture.kind)")
        #expect(fixture.unit == "utf-16")
        #expect(!fixture.cases.isEmpty, "\(name) has no cases")
        for (index, one) in fixture.cases.enumerated() {
            if let fault = fault(of: one, kind) {
                Issue.record("\(name), case \(index) (\(one.about ?? "")): \(fault)")
            }
        }
    }

    @Test("every kind of fixture has at least one file")
    func everyKind() throws {
        let kinds = try Fixture.names().map { try Fixture(named: $0).kind }
        #expect(Set(kinds) == Set(FixtureKind.allCases.map(\.rawValue)))
    }

    /// What is wrong with a case, or nil.
    private func fault(of one: FixtureCase, _ kind: FixtureKind) -> String? {
        do {
            switch (one.becomes, one.refused) {
            case (let expected?, nil):
                let found = try kind.answer(to: one)
                if found != expected { return "found \(found), expected \(expected)" }
                return try kind.holdsLaw(one) ? nil : "the resulting text differs from the text in the case"
            case (nil, let expected?):
                let found = refusal { try kind.answer(to: one) }
                if found == expected { return nil }
                return "found \(found.map(\.description) ?? "an answer"), expected \(expected)"
            case (nil, nil), (_?, _?): return "the case must have becomes or refused"
            }
        } catch {
            return "threw \(error)"
        }
    }

    private func refusal(_ body: () throws -> FixtureAnswer) -> FixtureRefusal? {
        do {
            _ = try body()
            return nil
        } catch let error as TextError {
            return FixtureRefusal(error)
        } catch let error as ChangeError {
            return FixtureRefusal(error)
        } catch {
            return error as? FixtureRefusal
        }
    }
}
