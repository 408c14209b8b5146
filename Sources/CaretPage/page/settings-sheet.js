// The sheet with what a user sets on this device. Changes of the look are seen at once.
import { palette, peerName, textColorOn } from '../../../Clients/javascript/peer-look.js'
import { avatar, element, icon } from './dom.js'
import { forgetKept, keptTexts } from './kept-texts.js'
import { ownLook } from './own-look.js'
import { radio, segments } from './segments.js'
import { confirm, openSheet } from './sheet.js'
import { showShortcuts } from './shortcuts.js'
import { emptyStorages, reloadSafely } from './unsaved.js'
import { count } from './words.js'

/** What the colors of `palette` are called. */
const colorNames = [
    'Blue', 'Red', 'Green', 'Violet', 'Rust', 'Teal', 'Pink', 'Olive', 'Indigo', 'Ochre', 'Magenta', 'Sea green',
]

const schemes = { system: 'System', light: 'Light', dark: 'Dark' }
const fonts = { proportional: 'Proportional', monospace: 'Monospace' }
/** By the size in pixels. */
const sizes = { 16: 'Normal', 19: 'Large', 23: 'Larger' }

/** Shows the sheet. Others see a new name or color after the user has closed it. */
export async function showSettings(app, { isNameFirst = false } = {}) {
    const { settings } = app
    const before = JSON.stringify(settings.person)
    const own = ownLook(app)
    const action = await openSheet('Settings', (close) => [
        ...(own.isVerified ? [verifiedLook(own)] : [nameField(settings, isNameFirst), colors(settings)]),
        choice(app, 'scheme', 'Appearance', schemes), choice(app, 'font', 'Font of texts', fonts),
        choice(app, 'size', 'Size of texts', sizes), wrapping(app),
        element('button', { type: 'button', class: 'plain-button keyboard-button', onclick: () => close(showShortcuts) }, 'Keyboard'),
        // They may be texts of a user who is signed in, and this tab only has a link.
        !settings.link && keptTexts(app), account(app, close),
    ], { className: 'settings' })
    if (action) return action()
    if (before !== JSON.stringify(settings.person)) app.caret.introduce(settings.person)
}

/** The server shows others what the token says, so the user cannot change it here. */
function verifiedLook(own) {
    return element('div', { class: 'person' }, avatar(own, { label: false }), element('span', { class: 'who' },
        element('b', { dir: 'auto' }, peerName(own)),
        element('span', { class: 'quiet-text' }, 'Your name comes from your account.')))
}

function nameField(settings, autofocus) {
    return element('label', {}, element('span', {}, 'Your name'), element('input', {
        type: 'text', value: settings.get('name'), maxlength: 64, autocomplete: 'nickname', spellcheck: 'false', autofocus,
        placeholder: 'What others see',
        oninput: (event) => settings.set('name', event.target.value.trim()),
        onkeydown: (event) => {
            if (event.key === 'Enter' && !event.isComposing) event.target.closest('dialog').close()
        },
    }))
}

function colors(settings) {
    const swatch = (color, name) => element('label', {
        class: color ? 'swatch' : 'swatch automatic', title: name,
        style: color ? { '--color': color, '--on-color': textColorOn(color) } : {},
    }, radio('settings-color', color, settings.get('color'), name, () => settings.set('color', color)),
    element('span', { class: 'circle' }, icon('tick')))
    return element('fieldset', { class: 'swatches' }, element('legend', {}, 'Your color'),
        swatch('', 'Automatic'), palette.map((color, index) => swatch(color, colorNames[index])))
}

function choice(app, key, title, words) {
    return segments(`settings-${key}`, title, words, app.settings.get(key), (value) => apply(app, key, value))
}

function wrapping(app) {
    return element('label', { class: 'choice switch' }, element('span', {}, 'Wrap long lines'), element('input', {
        type: 'checkbox', role: 'switch', checked: app.settings.get('wrap'),
        onchange: (event) => apply(app, 'wrap', event.target.checked),
    }))
}

function apply(app, key, value) {
    app.settings.set(key, value)
    app.applySettings()
}

/** Who is signed in, and the ways to leave. */
function account(app, close) {
    const { token, caret, settings } = app
    if (settings.link) {
        return element('div', { class: 'account' }, element('div', {},
            element('p', {}, 'This tab uses a link to a document.'),
            element('button', {
                type: 'button', class: 'quiet', onclick: () => close(() => leave(app, () => settings.useLink(null))),
            }, 'Leave the link')))
    }
    return element('div', { class: 'account' },
        token !== undefined && element('div', {},
            element('p', {}, caret.user ? ['Signed in as ', element('b', {}, element('bdi', {}, caret.user))] : 'Signed in'),
            // A user whom the site has signed in must sign out at the site.
            typeof token === 'string'
                && element('button', { type: 'button', class: 'quiet', onclick: () => close(() => signOut(app)) }, 'Sign out')),
        element('button', {
            type: 'button', class: 'plain-button danger-text', onclick: () => close(() => forget(app)),
        }, 'Forget this device'))
}

async function signOut(app) {
    await leave(app, () => app.settings.signOut())
}

async function forget(app) {
    const { caret } = app
    // Changes that the client has kept on this device, because it could not save them.
    const kept = await caret.kept().catch(() => [])
    const lost = ` ${count(kept.length, 'text has', 'texts have')} changes that are only on this device. They will be lost.`
    const question = element('span', {},
        'This removes your name, your settings and your token from this device. The documents stay on the server.',
        kept.length > 0 && element('b', {}, lost))
    if (!await confirm('Forget this device?', question, 'Forget')) return
    await leave(app, async () => {
        await forgetKept(caret, kept)
        emptyStorages('localStorage', 'sessionStorage')
    })
}

/** Saves the text with the old token, and loads the page without it. */
async function leave(app, change) {
    if (await reloadSafely(app, change)) return
    const lost = 'Some of your changes are not saved, and the server cannot save them now. If you go on, they are lost.'
    if (!await confirm('Unsaved changes', lost, 'Lose the changes')) return
    await change()
    location.reload()
}
