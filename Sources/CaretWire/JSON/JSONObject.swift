// The browser build reads only messages, so it does not contain this file.
#if !hasFeature(Embedded)
    import CaretCore

    /// A strict JSON object as a value, for short texts that are not messages, such as tokens and key files.
    package struct JSONObject: Equatable, Sendable {
        package struct Member: Equatable, Sendable {
            package let name: WireString
            package let value: JSONElement
        }

        /// Why bytes are not one strict JSON object.
        package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
            /// Says at which byte, and what is wrong there.
            package let description: String

            package init(description: String) { self.description = description }
        }

        /// The members in their order. `init(parsing:)` refuses two members with the same name.
        package private(set) var members: [Member] = []

        package init() {}

        package init(parsing bytes: [UInt8]) throws(Fault) {
            let root = try bytes.withUnsafeBufferPointer { text throws(Fault) in
                var reader = JSONReader()
                do throws(JSONFault) { try reader.check(text) } catch {
                    throw Fault(description: "\(error)")
                }
                var cursor = JSONCursor(text)
                cursor.skipBlanks()
                return JSONObject(JSONValue(in: text, at: cursor.index))
            }
            self = root
        }

        /// The value must be an object of a checked text.
        fileprivate init(_ value: JSONValue) {
            value.forEachMember { key, value in
                members.append(Member(name: key.decoded, value: JSONElement(value)))
            }
        }

        package subscript(name: WireString) -> JSONElement? { members.first { $0.name == name }?.value }

        /// Adds a member. Its name must be new.
        package mutating func append(_ name: WireString, _ value: JSONElement) {
            members.append(Member(name: name, value: value))
        }

        package var bytes: [UInt8] {
            var writer = JSONWriter()
            write(to: &writer)
            return writer.bytes
        }

        fileprivate func write(to writer: inout JSONWriter) {
            writer.beginObject()
            for (index, member) in members.enumerated() {
                if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
                writer.quoted(member.name)
                writer.bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// A value inside a `JSONObject`.
    package enum JSONElement: Equatable, Sendable {
        case object(JSONObject)
        case array([JSONElement])
        case string(WireString)
        case integer(Int)
        /// A number with a fraction or an exponent, as it was written.
        case number(WireString)
        case bool(Bool)
        case null

        fileprivate init(_ value: JSONValue) {
            switch value.kind {
            case .object: self = .object(JSONObject(value))
            case .array:
                var elements: [JSONElement] = []
                value.forEachElement { element, _ in elements.append(JSONElement(element)) }
                self = .array(elements)
            case .string: self = .string(value.string.decoded)
            case .number:
                let written = UnsafeBufferPointer(rebasing: value.line[value.start..<value.end])
                self = value.integer.map { .integer($0) } ?? .number(WireString(written.string))
            case .bool: self = .bool(value.bool == true)
            case .null: self = .null
            }
        }

        fileprivate func write(to writer: inout JSONWriter) {
            switch self {
            case .object(let object): object.write(to: &writer)
            case .array(let elements):
                writer.beginArray()
                for element in elements { element.write(to: &writer) }
                writer.endArray()
            case .string(let string): writer.value(string)
            case .integer(let number): writer.value(number)
            case .number(let written): writer.json(Array(written.utf8))
            case .bool(let bool): writer.value(bool)
            case .null: writer.json(Array("null".utf8))
            }
        }

        package var string: WireString? {
            guard case .string(let string) = self else { return nil }
            return string
        }

        /// Nil unless the value is an array of strings only.
        package var strings: [WireString]? {
            guard case .array(let elements) = self else { return nil }
            let strings = elements.compactMap(\.string)
            return strings.count == elements.count ? strings : nil
        }
    }
#endif
