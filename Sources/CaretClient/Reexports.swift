// An app needs only `import CaretClient`: these two modules define types of its public API, such as `Edit`,
// `Selection` and `SavingState`. Without the re-export, an app could not name them, and with MemberImportVisibility
// it could not use their members. Foundation re-exports FoundationEssentials in the same way.

@_exported public import CaretCore
@_exported public import CaretReplica
