// The addresses from which the page loads scripts that are not modules of its own. The browser accepts them only
// from this policy, so that no text of a user can become such an address.
const addresses = new Set(['/service-worker.js'])

const policy = globalThis.trustedTypes?.createPolicy('caret', {
    createScriptURL(address) {
        if (!addresses.has(address)) throw new TypeError(`${address} is not a script of this page`)
        return address
    },
})

/** An address that `register` and `new Worker` accept. */
export function scriptAddress(address) { return policy ? policy.createScriptURL(address) : address }
