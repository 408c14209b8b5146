import CaretClient
import CaretCore

extension DocumentHistory.Entry {
    var members: [(key: String, value: JSON)] {
        [
            ("rev", .number(revision.value)), ("time", .text(Stamp.universal(time))), ("user", .text(user)),
            ("client", .text(client)), ("inserted", .number(inserted)), ("deleted", .number(deleted)),
        ]
    }
}
