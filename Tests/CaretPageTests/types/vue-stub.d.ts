// As much of the types of Vue as vue.d.ts uses. Vue itself is not installed where the types are checked.
declare module 'vue' {
    export interface Ref<T> { value: T }
    export interface WritableComputedRef<T> extends Ref<T> {}
    export interface ComputedRef<T> { readonly value: T }
}
