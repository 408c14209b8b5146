// The people in a history: their names and colors.
import { nobody, peerColor, peerName } from '../../../Clients/javascript/peer-look.js'
import { authorOf } from './timeline.js'

export class Authors {
    #authors = new Map()
    #introductions = new Map()
    /** How many people without a name there are so far. */
    #nobodies = 0

    /** Learns the names and colors of people who have the document open now. The history has only users and clients. */
    introduce(peers) {
        for (const peer of peers) this.#introductions.set(authorOf(peer), peer)
        this.#authors.clear()
        this.#nobodies = 0
    }

    /** The author of a revision: { key, user, name, color, client }. */
    of(revision) {
        const key = authorOf(revision)
        if (!this.#authors.has(key)) this.#authors.set(key, this.#make(key, revision))
        return this.#authors.get(key)
    }

    /** The authors of some revisions, those with the most revisions first: { author, count }. */
    in(revisions) {
        const counts = new Map()
        for (const revision of revisions) {
            const author = this.of(revision)
            counts.set(author, (counts.get(author) ?? 0) + 1)
        }
        return [...counts].map(([author, count]) => ({ author, count })).sort((left, right) => right.count - left.count)
    }

    #make(key, { user, client }) {
        const introduction = this.#introductions.get(key)
        const name = peerName(introduction ?? { user })
        // The history must tell several apart.
        const number = name === nobody ? ++this.#nobodies : 1
        return { key, name: number > 1 ? `${name} ${number}` : name, color: peerColor({ color: introduction?.color, client: introduction?.client ?? client }), client }
    }
}
