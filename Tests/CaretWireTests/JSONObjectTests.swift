import CaretWire
import Testing

@Suite("JSON objects as values") struct JSONObjectTests {
    @Test("an object has the members and values of its text, and is written without blanks")
    func members() throws {
        let text = """
            { "a\\u0062" : "x\\n\\u00e9", "list": [1, -2, 1.50, true, null, [], {"b": [{}]}], "n": {"a": "1", "c": false} }
            """
        let object = try JSONObject(parsing: Array(text.utf8))
        #expect(object.members.map(\.name) == ["ab", "list", "n"])
        #expect(object["ab"] == .string("x\né") && object["none"] == nil)
        #expect(object["ab"]?.string == "x\né" && object["list"]?.string == nil)
        guard case .array(let elements) = object["list"] else {
            Issue.record("the list")
            return
        }
        #expect(
            elements.prefix(6) == [
                .integer(1), .integer(-2), .number("1.50"), .bool(true), .null, .array([]),
            ])
        let written = #"{"ab":"x\né","list":[1,-2,1.50,true,null,[],{"b":[{}]}],"n":{"a":"1","c":false}}"#
        #expect(object.bytes == Array(written.utf8))
        #expect(try JSONObject(parsing: object.bytes) == object)
    }

    @Test("only a list of strings has strings")
    func strings() throws {
        let object = try JSONObject(parsing: Array(#"{"a":["x","y"],"b":[],"c":["x",1],"d":"x"}"#.utf8))
        #expect(object["a"]?.strings == ["x", "y"] && object["b"]?.strings == [])
        #expect(object["c"]?.strings == nil && object["d"]?.strings == nil)
    }

    @Test("text that is not one strict object is refused, with the byte and the reason")
    func refused() {
        let rows = [
            ("", "byte 0: expected an object, found the end of the line"),
            ("[]", "byte 0: expected an object, found '['"),
            (#"{"a":1,"a":2}"#, "byte 8: this key occurs twice in its object"),
            (#"{"b":{"a":1,"\u0061":2}}"#, "byte 13: this key occurs twice in its object"),
        ]
        for (text, reason) in rows {
            #expect(throws: JSONObject.Fault(description: reason)) {
                try JSONObject(parsing: Array(text.utf8))
            }
        }
    }

    @Test("an object that is made is written as JSON")
    func made() {
        var object = JSONObject()
        #expect(object.bytes == Array("{}".utf8))
        object.append("a\"", .string("\u{1}"))
        object.append("b", .array([.object(JSONObject()), .integer(0)]))
        #expect(object.bytes == Array(#"{"a\"":"\u0001","b":[{},0]}"#.utf8))
    }
}
