import FoundationEssentials
import Glibc

/// What all pictures in a report share: their folder, their head and their colors.
enum Picture {
    /// The folder for plots. Nil if the user did not ask for plots.
    private static let folder = CommandLine.arguments.drop { $0 != Options.plots }.dropFirst().first

    /// Writes a picture to the folder, if there is one.
    static func write(_ name: String, _ svg: () -> String) {
        guard let folder else { return }
        mustSucceed { try svg().write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8) }
    }

    /// The beginning of a picture: its size, its colors, its background and its title.
    static func head(_ title: String, width: Int, height: Int, style: String, darkStyle: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
        viewBox="0 0 \(width) \(height)" role="img" aria-label="\(escaped(title))">
        <style>
        text { font: 13px system-ui, sans-serif; fill: #24292f }
        .title { font-size: 16px; font-weight: 600 }
        .value { font-size: 12px; fill: #57606a }
        .paper { fill: #ffffff }
        \(style)
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 } .value { fill: #9198a1 } .paper { fill: #0d1117 }
        \(darkStyle)
        }
        </style>
        <rect class="paper" width="100%" height="100%"/>
        <text class="title" x="16" y="30">\(escaped(title))</text>
        """
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
