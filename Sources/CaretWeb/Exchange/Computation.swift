/// A response that the gateway asks its shell to compute, because the computation may take longer than a loop should wait.
package enum Computation: Equatable, Sendable {
    case comparison(Comparison)
    case toolAnswer(ToolAnswer)

    package func response() -> Response {
        switch self {
        case .comparison(let comparison): comparison.response()
        case .toolAnswer(let answer): answer.response()
        }
    }
}
