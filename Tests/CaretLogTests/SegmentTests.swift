import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("Segments") struct SegmentTests {
    @Test("each change of a segment is one revision, counted from the first")
    func last() {
        let change = LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1, edits: [])
        #expect(Segment(first: 7, changes: [change]).last == 7)
        #expect(Segment(first: 7, changes: [change, change, change]).last == 9)
    }
}
