// What others see of the user.
import { userName } from './user-name.js'

/** { name, color, isVerified }: from the token if it has one of them, or else from the settings of this device. */
export function ownLook({ caret: { user, verified }, settings }) {
    const { name, color } = verified ?? settings.person
    return { name: name || userName(user), color: color ?? '', isVerified: verified !== undefined }
}
