// What users are called.
import { nobody, peerName } from '../../../Clients/javascript/peer-look.js'

/** Whether a user has connected with a link. */
export function isOfLink(user) { return user?.startsWith('link/') ?? false }

/** The name of a user; '' if several people are this user: all without a token, or all who have the same link. */
export function userName(user) {
    const name = peerName({ user })
    return name === nobody ? '' : name
}
