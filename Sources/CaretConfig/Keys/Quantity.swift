/// A unit, with its size in the smallest unit.
struct QuantityUnit {
    let name: String
    let size: Int
    /// True if the unit is accepted when reading, but never written.
    var isInputOnly = false
}

/// Reads and writes sizes. A size is written with the largest unit of which it is a multiple.
package enum SizeText {
    private static let units = [
        QuantityUnit(name: "B", size: 1),
        QuantityUnit(name: "kB", size: 1_000, isInputOnly: true),
        QuantityUnit(name: "KB", size: 1_000, isInputOnly: true),
        QuantityUnit(name: "KiB", size: 1 << 10),
        QuantityUnit(name: "MB", size: 1_000_000, isInputOnly: true),
        QuantityUnit(name: "MiB", size: 1 << 20),
        QuantityUnit(name: "GB", size: 1_000_000_000, isInputOnly: true),
        QuantityUnit(name: "GiB", size: 1 << 30),
    ]

    package static func written(_ bytes: Int) -> String { Quantity.written(bytes, in: units) }

    /// Returns the bytes of a size such as `25 MiB` or `26214400`; nil if the text is not a size.
    package static func read(_ text: String) -> Int? { Quantity.read(text, in: units, plain: 1) }
}

/// The unit of an integer setting, or of a number that is written without a unit.
package enum TimeUnit: Int, Sendable {
    case milliseconds = 1
    case seconds = 1_000
    case days = 86_400_000

    package var name: String {
        switch self {
        case .milliseconds: "milliseconds"
        case .seconds: "seconds"
        case .days: "days"
        }
    }
}

/// Reads and writes durations. A duration is written with the largest unit of which it is a multiple.
package enum TimeText {
    private static let units = [
        QuantityUnit(name: "ms", size: 1),
        QuantityUnit(name: "s", size: TimeUnit.seconds.rawValue),
        QuantityUnit(name: "min", size: 60_000),
        QuantityUnit(name: "h", size: 3_600_000),
        QuantityUnit(name: "days", size: TimeUnit.days.rawValue),
        QuantityUnit(name: "day", size: TimeUnit.days.rawValue, isInputOnly: true),
        QuantityUnit(name: "d", size: TimeUnit.days.rawValue, isInputOnly: true),
    ]

    package static func written(_ count: Int, _ unit: TimeUnit) -> String {
        if count == 0 { return "0 s" }
        let text = Quantity.written(count * unit.rawValue, in: units)
        return text == "1 days" ? "1 day" : text
    }

    /// Returns a duration such as `30 s` as a number of `unit`. Nil if the number would not be whole.
    package static func read(_ text: String, in unit: TimeUnit, plain: TimeUnit) -> Int? {
        guard let milliseconds = Quantity.read(text, in: units, plain: plain.rawValue) else { return nil }
        let (count, rest) = milliseconds.quotientAndRemainder(dividingBy: unit.rawValue)
        return rest == 0 ? count : nil
    }
}

enum Quantity {
    /// How many digits a number may have. All allowed values have fewer digits.
    private static let digits = 15

    static func written(_ value: Int, in units: [QuantityUnit]) -> String {
        let unit = units.last { !$0.isInputOnly && value != 0 && value % $0.size == 0 } ?? units[0]
        return "\(value / unit.size) \(unit.name)"
    }

    /// Reads a whole number and an optional unit, with at most one space between them.
    static func read(_ text: String, in units: [QuantityUnit], plain: Int) -> Int? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        var name = text[number.endIndex...]
        guard let count = whole(number) else { return nil }
        if name.isEmpty { return product(count, plain) }
        if name.hasPrefix(" ") { name = name.dropFirst() }
        return units.first { name.utf8.elementsEqual($0.name.utf8) }.flatMap { product(count, $0.size) }
    }

    /// Reads a number of ASCII digits only.
    static func whole(_ text: some StringProtocol) -> Int? {
        text.isDigits && text.utf8.count <= digits ? Int(text) : nil
    }

    private static func product(_ left: Int, _ right: Int) -> Int? {
        let (product, isLost) = left.multipliedReportingOverflow(by: right)
        return isLost ? nil : product
    }
}
