/// The resources that need no document.
enum Resource {
    static func response(
        to head: RequestHead, _ target: RequestTarget, isStopping: Bool
    ) throws(WebRefusal) -> Response {
        guard let methods = methods(of: target.path) else {
            throw WebRefusal(.notFound, "there is nothing at \(target.path.prefix(100))")
        }
        if head.method == "OPTIONS" {
            return Response(.noContent).adding("Allow", methods.joined(separator: ", "))
        }
        guard methods.contains(head.method) else {
            throw WebRefusal(
                .methodNotAllowed, "\(target.path) has no \(head.method.prefix(20)), only \(methods[0])"
            )
            .adding("Allow", methods.joined(separator: ", "))
        }
        return health(isStopping: isStopping)
    }

    private static func methods(of path: String) -> [String]? {
        switch path {
        case "*": ["OPTIONS"]
        case "/healthz": ["GET", "HEAD", "OPTIONS"]
        case "/ws": ["GET", "OPTIONS"]
        default: nil
        }
    }

    private static func health(isStopping: Bool) -> Response {
        Response(
            isStopping ? .serviceUnavailable : .ok, "text/plain; charset=utf-8",
            Array((isStopping ? "stopping\n" : "ok\n").utf8)
        ).adding("Cache-Control", "no-store")
    }
}
