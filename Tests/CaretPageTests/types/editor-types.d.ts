// Stand-ins for the types of CodeMirror and Monaco, as far as the types of the adapters need them.
declare module '@codemirror/state' {
    export type Extension = { extension: Extension } | readonly Extension[]
}
declare module 'monaco-editor' {
    export namespace editor {
        interface ICodeEditor { getModel(): object | null }
    }
}
