// An app needs only `import CaretClient`. These two modules define types of CaretClient's public API, such as
// `Edit`, `Selection` and `SavingState`. Without the re-export, an app could not name these types. With
// MemberImportVisibility, it could not use their members either. Foundation re-exports FoundationEssentials
// in the same way.

@_exported public import CaretCore
@_exported public import CaretReplica
