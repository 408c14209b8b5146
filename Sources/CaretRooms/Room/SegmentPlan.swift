/// How the changes of a segment are made anew behind others.
package struct SegmentPlan: Equatable, Sendable {
    package init() {}
}
