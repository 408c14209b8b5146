import CaretFormat

/// A parameter of a statement, in PostgreSQL's binary format.
package enum PostgresValue {
    /// Nil is null.
    case integer(Int64?)
    case bytes([UInt8])
    case text(String)
    case integers([Int64])
    case arrayOfBytes([[UInt8]])
    case texts([String])

    init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .bytes(let bytes): self = .bytes(bytes)
        case .integers(let numbers): self = .integers(numbers)
        }
    }

    /// The OIDs of PostgreSQL's types. They are the same in all versions.
    private enum TypeID {
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let text: UInt32 = 25
        static let byteaArray: UInt32 = 1001
        static let textArray: UInt32 = 1009
        static let int8Array: UInt32 = 1016
    }

    var typeID: UInt32 {
        switch self {
        case .integer: TypeID.int8
        case .bytes: TypeID.bytea
        case .text: TypeID.text
        case .integers: TypeID.int8Array
        case .arrayOfBytes: TypeID.byteaArray
        case .texts: TypeID.textArray
        }
    }

    /// Appends the value; returns false for null.
    func write(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .integer(nil): return false
        case .integer(let number?): bytes.append(bigEndian: number)
        case .bytes(let content): bytes += content
        case .text(let text): bytes += text.utf8
        case .integers(let numbers):
            PostgresValue.writeHeader(numbers.count, of: TypeID.int8, to: &bytes)
            for number in numbers {
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: number)
            }
        case .arrayOfBytes(let elements): PostgresValue.write(elements, of: TypeID.bytea, to: &bytes)
        case .texts(let texts): PostgresValue.write(texts.map { Array($0.utf8) }, of: TypeID.text, to: &bytes)
        }
        return true
    }

    private static func write(_ elements: [[UInt8]], of type: UInt32, to bytes: inout [UInt8]) {
        writeHeader(elements.count, of: type, to: &bytes)
        for element in elements {
            bytes.append(bigEndian: Int32(element.count))
            bytes += element
        }
    }

    /// The header of an array: one dimension, no nulls, the type, the length, and the first index.
    private static func writeHeader(_ count: Int, of type: UInt32, to bytes: inout [UInt8]) {
        for number in [1, 0, Int32(bitPattern: type), Int32(count), 1] { bytes.append(bigEndian: number) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
