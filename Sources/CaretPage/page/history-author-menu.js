// The menu that chooses one person in a history.
import { avatar, icon } from './dom.js'
import { openMenu } from './sheet.js'

/** More people make a menu that nobody reads. */
const most = 50

/** `authors` are { author, count }. Calls `choose` with one of them, or with null for everyone. The menu stands at `button`. */
export function openAuthorMenu(authors, choose, button) {
    const items = authors.slice(0, most).map(({ author, count }) => ({
        label: `${author.name} \u00b7 ${count.toLocaleString('en')}`, icon: avatar(author, { label: false }), run: () => choose(author),
    }))
    return openMenu('Only changes by\u2026', [{ label: 'Everyone', icon: icon('people'), run: () => choose(null) }, ...items], button)
}
