import CaretRooms
import CaretWire
import Testing

@Suite("What others see of a user")
struct VerifiedInfoTests {
    /// Rule H13.
    @Test(
        "the token decides name and color, and only the server says `verified`",
        arguments: [
            (nil, nil, nil, nil),
            (#"{"name":"Ann","x":{"y":[1,null]}}"#, nil, nil, #"{"name":"Ann","x":{"y":[1,null]}}"#),
            (#"{"name":"Ann","verified":true}"#, nil, nil, #"{"name":"Ann"}"#),
            (nil, "Ann", nil, #"{"name":"Ann","verified":true}"#),
            (
                ##"{"name":"Eve","color":"#000","pet":"cat"}"##, "Ann", nil,
                ##"{"name":"Ann","verified":true,"pet":"cat"}"##
            ),
            (
                ##"{"name":"Eve","verified":false,"color":"#000"}"##, nil, "#c33",
                ##"{"color":"#c33","verified":true}"##
            ),
        ] as [(String?, WireString?, WireString?, String?)])
    func shown(info: String?, name: WireString?, color: WireString?, expected: String?) {
        let shown = WireInfo.shown(
            info.flatMap { WireInfo(json: Array($0.utf8)) }, VerifiedLook(name: name, color: color))
        #expect(shown.map { String(decoding: $0.json, as: UTF8.self) } == expected)
    }

    @Test("if both do not fit, the client's part is left out")
    func tooLong() {
        let name = WireString(String(repeating: "n", count: 100))
        for (rest, isKept) in [(888, true), (889, false)] {
            let info = WireInfo(json: Array(#"{"pet":"\#(String(repeating: "p", count: rest))"}"#.utf8))
            let shown = WireInfo.shown(info, VerifiedLook(name: name, color: nil))
            #expect((shown?.json.count ?? 0 > 500) == isKept && shown?.string("name") == name)
            if isKept { #expect(shown?.json.count == Limits.info) }
        }
    }
}
