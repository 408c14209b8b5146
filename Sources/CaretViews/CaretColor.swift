/// The color of another user's caret. Each part is from 0 to 1.
public struct CaretColor: Hashable, Sendable {
    public let red: Double
    public let green: Double
    public let blue: Double

    /// The colors of users who have not chosen one. They differ from each other, also for color-blind people.
    private static let palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]

    /// Reads a CSS color of the form `#rgb` or `#rrggbb`. Returns nil for any other text.
    public init?(css: String) {
        guard css.utf8.first == UInt8(ascii: "#") else { return nil }
        let text = css.dropFirst()
        guard text.utf8.allSatisfy({ Int(String(UnicodeScalar($0)), radix: 16) != nil }) else { return nil }
        guard let value = Int(text, radix: 16) else { return nil }
        switch text.utf8.count {
        case 3: self.init((value >> 8) * 17, (value >> 4 & 15) * 17, (value & 15) * 17)
        case 6: self.init(value >> 16, value >> 8 & 255, value & 255)
        default: return nil
        }
    }

    /// The color of a user without a valid color. The same session always has the same color.
    init(session: String) {
        let sum = session.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        let color = CaretColor(css: Self.palette[sum % Self.palette.count])
        self = color ?? CaretColor(0, 0, 0)
    }

    private init(_ red: Int, _ green: Int, _ blue: Int) {
        (self.red, self.green, self.blue) = (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
    }
}
