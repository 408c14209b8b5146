// What users are called.
import { nobody, peerName } from '../../../Clients/javascript/peer-look.js'

/** The name of a user; '' if several people are this user: all without a token, or all who have the same link. */
export function userName(user) {
    const name = peerName({ user })
    return name === nobody ? '' : name
}
