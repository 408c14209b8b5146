import Testing

@Suite("Clients with different units", .onOwnThread) struct UnitTests {
    @Test(
        "clients with different units see the same text and changes",
        arguments: Transport.lines(and: .secureLines))
    func units(transport: Transport) throws {
        try converse(
            """
            # Code units of each letter: 1 2 1 1 in UTF-16, 1 4 3 1 in UTF-8, one each in UTF-32.
            utf16> {"type":"hello","protocol":1,"client":"utf16-client"}
            utf16< {"type":"welcome","protocol":1,"unit":"utf-16",…
            utf8> {"type":"hello","protocol":1,"client":"utf8-client","units":["utf-8","utf-16"]}
            utf8< {"type":"welcome","protocol":1,"unit":"utf-8",…
            utf32> {"type":"hello","protocol":1,"client":"utf32-client","units":["utf-32"]}
            utf32< {"type":"welcome","protocol":1,"unit":"utf-32",…
            utf16> {"type":"push","doc":"a","base":0,"seq":1,"text":"a😀ẞz","create":true}
            utf16< {"type":"ack","doc":"a","seq":1,…"rev":1,…
            utf16> {"type":"open","doc":"a"}
            utf16< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":1,"text":"a😀ẞz",…
            utf8> {"type":"open","doc":"a"}
            utf8< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":1,"text":"a😀ẞz",…
            utf32> {"type":"open","doc":"a"}
            utf32< {"type":"opened","doc":"a","epoch":"⟨e⟩","rev":1,"text":"a😀ẞz",…

            utf8> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[{"range":[5,8],"text":"𝄞"}]}
            utf8< {"type":"ack","doc":"a","seq":1,"rev":2}
            utf16< {"type":"change","doc":"a","rev":2,"edits":[{"range":[3,4],"text":"𝄞"}],…
            utf32< {"type":"change","doc":"a","rev":2,"edits":[{"range":[2,3],"text":"𝄞"}],…

            # The base of this push is revision 1, so the server rebases the push.
            utf32> {"type":"push","doc":"a","epoch":"⟨e⟩","base":1,"seq":1,"edits":[{"range":[3,3],"text":"é"}]}
            utf32< {"type":"ack","doc":"a","seq":1,"rev":3}
            utf16< {"type":"change","doc":"a","rev":3,"edits":[{"range":[5,5],"text":"é"}],…
            utf8< {"type":"change","doc":"a","rev":3,"edits":[{"range":[9,9],"text":"é"}],…

            utf16> {"type":"select","doc":"a","rev":3,"selections":[[1,6]]}
            utf8< {"type":"peer","doc":"a",…,"rev":3,"selections":[[1,11]]}
            utf32< {"type":"peer","doc":"a",…,"rev":3,"selections":[[1,4]]}

            utf8> {"type":"push","doc":"a","epoch":"⟨e⟩","base":3,"seq":2,"edits":[{"range":[2,2],"text":"x"}]}
            utf8< {"type":"error","doc":"a","seq":2,"code":"bad_range",…
            utf32> {"type":"push","doc":"a","epoch":"⟨e⟩","base":3,"seq":2,"edits":[{"range":[6,6],"text":"x"}]}
            utf32< {"type":"error","doc":"a","seq":2,"code":"bad_range","message":"edit 0: range 6..<6 ends past the text's length 5 at revision 3"}
            utf16> {"type":"list"}
            utf16< {"type":"listed","docs":[{"doc":"a",…,"length":7,…}]}
            utf8> {"type":"list"}
            utf8< {"type":"listed","docs":[{"doc":"a",…,"length":12,…}]}
            utf32> {"type":"list"}
            utf32< {"type":"listed","docs":[{"doc":"a",…,"length":5,…}]}
            """, over: transport)
    }
}
