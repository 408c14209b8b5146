// A server for one document, as simple as the protocol allows: it answers at once and commits every push.

export class ModelServer {
    #core
    /** The edits of each revision. */
    #log = []
    /** For each client, its last push: { seq, rev }. */
    #pushes = new Map()
    #sessions = new Set()
    text = ''
    epoch = 'e'

    constructor(core) { this.#core = core }

    get rev() { return this.#log.length }

    /** A session of a client. Its answers are in `out`. */
    connect(client) {
        const session = { client, id: `s${client}`, out: [], isOpen: false, selections: [] }
        this.#sessions.add(session)
        return session
    }

    disconnect(session) {
        this.#sessions.delete(session)
        if (session.isOpen) this.#tellOthers(session, { type: 'peer', session: session.id, left: true })
    }

    /** Handles an action of a replica. */
    handle(session, action) {
        switch (action.do) {
        case 'open': return this.#open(session, action)
        case 'close': return void (session.isOpen = false)
        case 'push': return this.#push(session, action)
        case 'select': return this.#select(session, action)
        case 'diverged': throw new Error('a replica says that its text differs from the text of the server')
        }
    }

    #open(session, { position, id }) {
        session.isOpen = true
        const resumes = position?.epoch === this.epoch
        const peers = [...this.#sessions].filter((other) => other.isOpen && other !== session)
        session.out.push({
            type: 'opened', id, epoch: this.epoch, rev: resumes ? position.rev : this.rev,
            ...(resumes ? {} : { text: this.text }), rights: 'write', own: this.#pushes.get(session.client),
            peers: peers.map(({ id, selections }) => ({ session: id, selections })),
        })
        if (resumes) this.#catchUp(session, position.rev)
    }

    #catchUp(session, after) {
        this.#log.slice(after).forEach(({ edits, client, seq }, index) => {
            const rev = after + index + 1
            session.out.push(client === session.client
                ? { type: 'ack', seq, rev, edits } : { type: 'change', rev, edits })
        })
    }

    #push(session, { base, seq, edits }) {
        if (!session.isOpen) return session.out.push({ type: 'error', code: 'not_open', seq })
        const known = this.#pushes.get(session.client)
        if (known?.seq === seq) return session.out.push({ type: 'ack', seq, rev: known.rev, duplicate: true })
        if (known?.seq > seq) return session.out.push({ type: 'error', code: 'seq_reused', seq })
        const later = this.#log.slice(base).map((entry) => entry.edits)
        const rebased = later.reduce((change, over) => this.#core.rebase(change, over, 'otherFirst'), edits)
        this.text = this.#core.apply(this.text, rebased)
        this.#log.push({ edits: rebased, client: session.client, seq })
        this.#pushes.set(session.client, { seq, rev: this.rev })
        for (const other of this.#sessions) {
            other.selections = other.selections.map((one) => this.#core.mapSelection(one, rebased))
        }
        // Edits that were committed as they were sent are not repeated.
        const isSame = JSON.stringify(rebased) === JSON.stringify(edits)
        session.out.push({ type: 'ack', seq, rev: this.rev, edits: isSame ? undefined : rebased })
        this.#tellOthers(session, { type: 'change', rev: this.rev, edits: rebased })
    }

    #select(session, { rev, selections }) {
        if (!session.isOpen) return
        const later = this.#log.slice(rev).map((entry) => entry.edits)
        session.selections = selections.map((one) =>
            later.reduce((moved, edits) => this.#core.mapSelection(moved, edits), one))
        const news = { type: 'peer', session: session.id, rev: this.rev, selections: session.selections }
        this.#tellOthers(session, news)
    }

    #tellOthers(session, message) {
        for (const other of this.#sessions) if (other.isOpen && other !== session) other.out.push(message)
    }

    /** Records a number that a client has used for something else than edits. */
    own(client, seq) { this.#pushes.set(client, { seq, rev: this.rev }) }

    // Faults, which a client must survive.

    /** Sends the whole text in the middle of the stream, as to a client that reads too slowly. */
    resync(session) {
        if (!session.isOpen || session.out.some((message) => message.type === 'opened')) return
        // The text replaces everything that was not delivered yet, except refusals.
        session.out = session.out.filter((message) => message.type === 'error')
        session.out.push({
            type: 'resync', epoch: this.epoch, rev: this.rev, text: this.text, own: this.#pushes.get(session.client),
        })
    }
}
