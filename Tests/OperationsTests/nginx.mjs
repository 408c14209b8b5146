// Runs nginx with a configuration of the pages.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { block } from '../NodeSupport/page.mjs'
import { freePort, listening, run, start } from '../NodeSupport/programs.mjs'

/** Runs the commands of docs/access.md that make a certificate. */
export async function makeCertificate(folder) {
    const lines = block('docs/access.md', 'Make your own certificate', 'sh').split('\n')
    const commands = lines.filter((line) => line.startsWith('openssl ')).join('\n')
    const { status, errors } = await run('sh', ['-ec', `cd '${folder}'\n${commands}`])
    assert.equal(status, 0, errors)
}

/** Starts nginx with this site, which listens on port 443. Returns the port on which it listens instead. */
export async function startNginx(site, folder) {
    const port = await freePort()
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    const path = join(folder, 'nginx.conf')
    // With one process, nginx needs no second user, and works without root.
    writeFileSync(path, `daemon off; master_process off; pid ${folder}/nginx.pid; events {}
        http { access_log off; ${temporary.join(' ')}\n${site.replace('listen 443', `listen 127.0.0.1:${port}`)} }`)
    await listening(start('nginx', ['-e', 'stderr', '-p', folder, '-c', path]), port)
    return port
}
