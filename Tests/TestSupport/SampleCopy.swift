import CaretCore
package import CaretLog

/// Copies as a room asks a store for them, for tests.
package enum SampleCopy {
    /// A copy by ann.
    package static func of(
        _ source: DocumentID, to name: DocumentName, at time: Int64 = 9, mostBytes: Int = 1_000_000
    ) -> DocumentCopy {
        DocumentCopy(
            of: source, to: name, by: SampleLog.ann, at: time, mostBytes: mostBytes,
            CopyDiff { old, new in
                diff(from: old, to: new).edits.map { edit in
                    guard let logged = try? LoggedEdit(edit, in: old) else {
                        preconditionFailure("a difference does not fit its text")
                    }
                    return logged
                }
            })
    }
}
