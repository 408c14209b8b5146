// The package of the JavaScript client in the folders of apps, as npm installs it, and sites with such folders.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd } from '../NodeSupport/suite.mjs'

export const repository = fileURLToPath(new URL('../../', import.meta.url))
export const packageName = '@caret-text/client'

/** Makes the package in a new folder, and returns its path. */
export function makePackage() {
    const folder = temporaryFolder()
    execFileSync(join(repository, 'scripts/package-js'), [folder])
    return join(folder, readdirSync(folder)[0])
}

/** Where a module of Debian is; undefined if it is not installed. Other folders may be in NODE_PATH. */
export function moduleFolder(name) {
    const folders = [...(process.env.NODE_PATH ?? '').split(':').filter(Boolean), '/usr/share/nodejs']
    return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder))
}

/**
 * The folder of an app with the package and `modules` of Debian in `node_modules`. `files` are the texts of other files,
 * by their paths.
 */
export function makeApp(tarball, files = {}, modules = []) {
    const folder = temporaryFolder()
    const installed = join(folder, 'node_modules', packageName)
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['--extract', '--file', tarball, '--directory', installed, '--strip-components', '1'])
    for (const name of modules) {
        cpSync(moduleFolder(name), join(folder, 'node_modules', name), { recursive: true, dereference: true })
    }
    for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
    }
    return folder
}

/**
 * Starts a site. The address `/a/b.js` is the file `b.js` of `folders.a`, and tests may add folders. All files have
 * `policy` as their content security policy, unless it is null.
 */
export async function startSite(folders = {}) {
    const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' }
    const site = { folders, policy: null }
    const server = createServer((request, response) => {
        const [, name, ...rest] = new URL(request.url, 'http://127.0.0.1').pathname.split('/')
        // Browsers also look for an icon.
        if (name === 'favicon.ico') return response.writeHead(204).end()
        const path = folders[name] && join(folders[name], ...rest)
        if (!path || !existsSync(path) || !statSync(path).isFile()) return response.writeHead(404).end()
        if (site.policy) response.setHeader('Content-Security-Policy', site.policy)
        response.setHeader('Content-Type', `${types[extname(path)] ?? 'application/octet-stream'}; charset=utf-8`)
        response.end(readFileSync(path))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => { server.close(), server.closeAllConnections() })
    return Object.assign(site, { origin: `http://127.0.0.1:${server.address().port}` })
}
