package import CaretClient
import FoundationEssentials

/// The options for the name and the colour of a caret, as other people see them.
package enum PersonOptions {
    static let all = [
        Option("name", value: "NAME", "the name that other people see; also CARET_NAME; default: USER"),
        Option("color", value: "COLOR", "the colour of your caret, for example d62578; also CARET_COLOR"),
    ]

    /// For an assistant. The variables are not used, because they describe the user.
    static let forAssistant = [
        Option("name", value: "NAME", "the name that other people see; default: Assistant"),
        Option("color", value: "COLOR", "the colour of the assistant's caret, for example d62578"),
    ]

    static let (nameVariable, colorVariable) = ("CARET_NAME", "CARET_COLOR")

    /// The longest name in Unicode scalars. The page shows no more of a name.
    package static let longestName = 64

    fileprivate static let expectedName = "1 to \(longestName) characters, without control characters"
    fileprivate static let expectedColor =
        "three or six hexadecimal digits, for example c33 or d62578; a # before them is allowed"

    fileprivate static func isName(_ text: String) -> Bool {
        !text.allSatisfy(\.isWhitespace) && text.unicodeScalars.count <= longestName
            && text.printable.field.utf8.elementsEqual(text.utf8)
    }

    /// The colour as the page and the editors accept it: `#c33` or `#d62578`. Nil if the text is no colour.
    fileprivate static func color(_ text: String) -> String? {
        // Most shells treat a word that begins with # as a comment, so the # is optional.
        let digits = text.utf8.first == UInt8(ascii: "#") ? text.dropFirst() : text[...]
        guard [3, 6].contains(digits.utf8.count), digits.utf8.allSatisfy(isHexadecimal) else { return nil }
        return "#" + digits
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension Arguments {
    /// The name and the colour of the user: from the options, from the variables, or the name of the system's
    /// user.
    package func person(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageFault) -> PersonInfo {
        let user = environment["USER"].flatMap { PersonOptions.isName($0) ? $0 : nil }
        return PersonInfo(
            name: try name(environment[PersonOptions.nameVariable]) ?? user,
            color: try color(environment[PersonOptions.colorVariable]))
    }

    /// The name and the colour of an assistant.
    package func assistant() throws(UsageFault) -> PersonInfo {
        PersonInfo(name: try name(nil) ?? "Assistant", color: try color(nil))
    }

    private func name(_ variable: String?) throws(UsageFault) -> String? {
        let option = PersonOptions.all[0]
        guard let (text, origin) = value(option, variable, PersonOptions.nameVariable) else { return nil }
        if PersonOptions.isName(text) { return text }
        throw fault(.badValue(origin, found: text, expected: PersonOptions.expectedName))
    }

    private func color(_ variable: String?) throws(UsageFault) -> String? {
        let option = PersonOptions.all[1]
        guard let (text, origin) = value(option, variable, PersonOptions.colorVariable) else { return nil }
        if let color = PersonOptions.color(text) { return color }
        throw fault(.badValue(origin, found: text, expected: PersonOptions.expectedColor))
    }

    /// The value of an option or else of its variable, and which of them it comes from.
    private func value(
        _ option: Option, _ variable: String?, _ variableName: String
    ) -> (text: String, origin: String)? {
        if let text = text(option) { return (text, option.flag) }
        guard let variable, !variable.isEmpty else { return nil }
        return (variable, variableName)
    }
}
