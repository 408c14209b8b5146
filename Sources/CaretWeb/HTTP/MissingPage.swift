/// What a person sees in a browser at an address where there is nothing. Programs get an `error` object.
enum MissingPage {
    /// Browsers name `text/html` when somebody goes to an address. Programs accept anything, or JSON.
    static func isWanted(by head: RequestHead) -> Bool {
        (head.method == "GET" || head.method == "HEAD")
            && head.fields.weightedItems(of: "accept").contains { $0.name == "text/html" && $0.weight > 0 }
    }

    static var response: Response {
        Response(.notFound, "text/html; charset=utf-8", Array(page.utf8))
            .adding("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
            // A program that asks for the same address must not get this page from a cache.
            .adding("Cache-Control", "no-store")
    }

    private static let page = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <title>Nothing here · Caret</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 34em; margin: 20vh auto; padding: 0 24px }</style>
        <h1>There is nothing at this address</h1>
        <p>A document has an address such as <code>/d/NAME</code>.</p>
        <p><a href="/">All documents</a></p>

        """
}
