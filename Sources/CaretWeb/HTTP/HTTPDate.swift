import CaretWire

/// Formats times for the `Date` field, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `time` is in milliseconds since 1970.
    package static func text(of time: Int64) -> String {
        var bytes: [UInt8] = []
        append(time, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of a time.
    static func append(_ time: Int64, to bytes: inout [UInt8]) {
        let parts = UTCTime(milliseconds: time)
        func add(_ number: Int, _ separator: UInt8) {
            bytes.append(separator)
            bytes.append(UInt8(ascii: "0") + UInt8(number / 10))
            bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        let space = UInt8(ascii: " ")
        bytes.append(days[parts.weekday])
        bytes.append(UInt8(ascii: ","))
        add(parts.day, space)
        bytes.append(space)
        bytes.append(months[parts.month - 1])
        bytes.append(space)
        bytes.append(UTCTime.padded(parts.year, to: 4))
        add(parts.hour, space)
        add(parts.minute, UInt8(ascii: ":"))
        add(parts.second, UInt8(ascii: ":"))
        bytes.append(" GMT")
    }
}
