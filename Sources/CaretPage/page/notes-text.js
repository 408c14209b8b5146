// The form of notes. The notes of the document NAME are the text of the document NAME.notes:
//
//     [2026-11-22 08:15] Ann: The first line of a note
//       and its second line, which begins with two spaces
//     [2026-11-22 08:17] Bob: Another note
//
// Times are in UTC, so that people in several places read the same order. Any program can write notes, so the text
// may have other lines too. They are shown as they are.
import { nobody } from '../../../Clients/javascript/peer-look.js'
import { cleanText } from './clean-text.js'

/** The most characters of a note. */
export const longestNote = 4_000
const longestAuthor = 64
/** Notes of one person within this time, in milliseconds, are shown below one name. */
const longestPause = 5 * 60_000
const suffix = '.notes'
const header = /^\[(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)Z?\] ([^:]{1,128}): ?([^]*)$/

export function notesName(name) { return name + suffix }

/** Whether a document can have notes. Notes have no notes, and names have a limit of 512 bytes. */
export function canHaveNotes(name) {
    return !name.endsWith(suffix) && new TextEncoder().encode(notesName(name)).length <= 512
}

/**
 * The notes in a text, in order: { time, author, text, start, end }. `start` and `end` are offsets in the text. For
 * lines that have no form of a note, `time` and `author` are null.
 */
export function parseNotes(text) {
    const notes = []
    let start = 0
    for (const line of text.split('\n')) {
        addLine(notes, line.replace(/\r$/, ''), start, start + line.length)
        start += line.length + 1
    }
    return notes.map(({ lines, emptyLines, ...note }) => ({ ...note, text: lines.join('\n') }))
}

function addLine(notes, line, start, end) {
    const last = notes.at(-1)
    const note = parseHeader(line)
    if (note) {
        notes.push({ ...note, emptyLines: 0, start, end })
    } else if (line.trim() === '') {
        // It belongs to the note before it only if the next line does: editors remove spaces at the end of lines.
        if (last) last.emptyLines++
    } else if (last && continues(last, line)) {
        last.lines.push(...Array(last.emptyLines).fill(''), last.time ? line.slice(2) : line)
        Object.assign(last, { emptyLines: 0, end })
    } else {
        notes.push({ time: null, author: null, lines: [line], emptyLines: 0, start, end })
    }
}

function continues(note, line) {
    return note.time ? line.startsWith('  ') : note.emptyLines === 0
}

function parseHeader(line) {
    const [, year, month, day, hour, minute, author, text] = header.exec(line) ?? []
    if (year === undefined) return null
    const time = new Date(Date.UTC(year, month - 1, day, hour, minute))
    // A date that does not exist, such as 31 February, becomes another one.
    if (!line.startsWith(`[${written(time)}`)) return null
    return { time, author: cleanAuthor(author), lines: [text] }
}

/** A note as its block in the text, with the line break at its end. `text` is a result of `cleanNote`. */
export function writeNote({ time, author, text }) {
    return `[${written(time)}] ${cleanAuthor(author)}: ${text.replaceAll('\n', '\n  ')}\n`
}

function written(time) {
    return time.toISOString().slice(0, 16).replace('T', ' ')
}

/** A name that can stand before the colon of a note. */
export function cleanAuthor(name) {
    const clean = cleanText(wellFormed(name).replace(/[:\s]+/g, ' ')).trim()
    return [...clean].slice(0, longestAuthor).join('') || nobody
}

/** What a user has typed, as the text of a note; empty if there is nothing to say. */
export function cleanNote(typed) {
    const lines = wellFormed(typed).replace(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll('\t', '    ').split('\n')
    return lines.map((line) => cleanText(line).trimEnd()).join('\n').replace(/^\n+|\n+$/g, '')
}

// Half a surrogate pair has no form in UTF-8.
function wellFormed(text) { return text.replace(/[\ud800-\udfff]/gu, '\ufffd') }

/** By how many characters a text is too long for a note. */
export function excess(typed) {
    // Counting characters takes time, and a short text has at most as many as UTF-16 code units.
    if (typed.length <= longestNote) return 0
    return Math.max(0, [...cleanNote(typed)].length - longestNote)
}

/** Where the inserted texts of edits are after the edits: [start, end] each. */
export function insertedRanges(edits) {
    let shift = 0
    return edits.map(({ range: [start, end], text }) => {
        const from = start + shift
        shift += text.length - (end - start)
        return [from, from + text.length]
    })
}

/** The rows of a list of notes: { day } before the first note of a day, and { note, isOwn, isFirst, index }. */
export function arrange(notes, { isOwn, now, zone }) {
    let [day, previous] = [null, null]
    return notes.flatMap((note, index) => {
        const noteDay = note.time ? dayWords(note.time, now, zone) : day
        const rows = noteDay === day ? [] : [{ day: noteDay }]
        const isFirst = rows.length > 0 || !isRun(previous, note)
        ;[day, previous] = [noteDay, note]
        return [...rows, { note, isOwn: note.time !== null && isOwn(note), isFirst, index }]
    })
}

function isRun(previous, note) {
    if (!previous?.time || !note.time || previous.author !== note.author) return false
    return Math.abs(note.time - previous.time) <= longestPause
}

/** The day of a time, such as 'Today' or 'Monday, 2 November 2026'. `zone` is the device's if it is missing. */
export function dayWords(time, now, zone) {
    const words = (date) => date.toLocaleDateString('en-GB', {
        weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: zone,
    })
    if (words(time) === words(now)) return 'Today'
    return words(time) === words(new Date(now - 86_400_000)) ? 'Yesterday' : words(time)
}

/** The beginning of a text that is too long for a bubble; null if the text is short enough. */
export function beginningOf(text, { characters = 1_200, lines = 16 } = {}) {
    const breaks = [...text.matchAll(/\n/g)]
    const end = Math.min(characters, breaks[lines - 1]?.index ?? Infinity)
    // A little more than the limit is shown, because a button would need as much space.
    if (text.length <= end + 120 && breaks.length < lines + 3) return null
    return `${[...text.slice(0, end + 1)].slice(0, -1).join('').trimEnd()}\u2026`
}
