import { createHmac } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/**
 * A message between processes after a transition is committed. It says only that a session has an event with this
 * number. Receivers read the event from the database, so a forged announcement causes only a read. A session's id gives
 * access to its offer, so announcements contain a name instead. Only this installation can derive the name from the id.
 */
export interface Announcement {
  readonly name: string
  readonly seq: number
}

/** Maximum octets of a message. A notification of PostgreSQL has room for almost 8,000. */
const MAX_MESSAGE = 7_800
/** Maximum of announcements in a message, if all announcements have the shortest form. */
const MAX_IN_MESSAGE = MAX_MESSAGE / 24

/** Returns a function that makes the names of sessions with the installation's key: 22 characters of base64url. */
export const sessionNames =
  (key: Uint8Array) =>
  (sessionId: string): string =>
    createHmac('sha256', secretKey(key)).update(sessionId).digest().subarray(0, 16).toString('base64url')

/** Packs all announcements, `<name>:<seq>` separated by spaces, into as few messages as possible. */
export function packed(announcements: Iterable<readonly [name: string, seq: number]>): string[] {
  const messages: string[] = []
  let message = ''
  for (const [name, seq] of announcements) {
    const entry = `${name}:${seq}`
    if (message.length + 1 + entry.length > MAX_MESSAGE) {
      messages.push(message)
      message = ''
    }
    message = message === '' ? entry : `${message} ${entry}`
  }
  return message === '' ? messages : [...messages, message]
}

/** The announcements in a message. All other text, from a stranger or another version, is ignored. */
export function unpacked(message: string): Announcement[] {
  if (message.length > MAX_MESSAGE) return []
  return message
    .split(' ', MAX_IN_MESSAGE)
    .map((entry) => /^([\w-]{22}):(\d{1,9})$/.exec(entry))
    .flatMap((match) => (match === null ? [] : [{ name: match[1] ?? '', seq: Number(match[2]) }]))
}
