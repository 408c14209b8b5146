import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("Revision numbers of a segment") struct SegmentTests {
    @Test("a segment has one revision for each change, numbered from `first`")
    func last() {
        let change = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1, edits: [])
        #expect(Segment(first: 7, changes: [change]).last == 7)
        #expect(Segment(first: 7, changes: [change, change, change]).last == 9)
    }
}
