import CaretClient
import CaretViews
import SwiftUI

/// A window with one document that everybody edits at the same time.
@main struct NotesApp: App {
    // SwiftUI makes a view again and again, but the app once. A note of the view would connect each time.
    private let note = Note()

    var body: some Scene {
        WindowGroup { NoteView(note: note) }
    }
}

struct NoteView: View {
    let note: Note

    var body: some View {
        VStack {
            TitleField(title: note.title)
            DocumentEditor(note.text.live)
            StateLine(document: note.text)
        }.padding()
    }
}

struct TitleField: View {
    @Bindable var title: ObservableDocument

    var body: some View { TextField("Title", text: $title.text) }
}

/// Says whether the text is saved.
struct StateLine: View {
    let document: ObservableDocument

    var body: some View { Text(sentence) }

    private var sentence: String {
        switch document.state {
        case .opening: "Connecting…"
        case .saved: "Saved"
        case .sending: "Saving…"
        case .offline: "Offline. Your changes are kept."
        case .refused: "The server refused your changes. They are still here."
        }
    }
}

/// The connection and the documents. The client connects again by itself whenever it has lost its connection.
@MainActor final class Note {
    private let client: LiveClient
    let title: ObservableDocument
    let text: ObservableDocument

    init() {
        let address = ServerAddress.tcp(host: "127.0.0.1", port: ServerAddress.defaultPort)
        client = LiveClient(address, ClientOptions(person: PersonInfo(name: "Ann", color: "#0072b2")))
        title = ObservableDocument(client, "welcome title", creating: true)
        text = ObservableDocument(client, "welcome", creating: true)
    }
}
