import { createHmac } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/**
 * A message to all processes that a session has a new event. It is sent after the change of the session is committed.
 * It contains only the event's number. Receivers read the event from the database, so a forged announcement causes only
 * a read. The id of a session gives access to the session's offer. So an announcement contains a name that only this
 * installation can derive from the id.
 */
export interface Announcement {
  readonly name: string
  readonly seq: number
}

/** Maximum octets of a message. A notification of PostgreSQL has room for almost 8,000. */
const MAX_MESSAGE = 7_800
/** Maximum number of announcements in a message. It is reached if all sequence numbers have one digit. */
const MAX_IN_MESSAGE = MAX_MESSAGE / 24

/**
 * Returns a function that derives the name of a session, for announcements, from its id and the installation's key. A
 * name is 22 characters of base64url.
 */
export const sessionNames =
  (key: Uint8Array) =>
  (sessionId: string): string =>
    createHmac('sha256', secretKey(key)).update(sessionId).digest().subarray(0, 16).toString('base64url')

/**
 * Packs all announcements into as few messages as possible. An announcement is written as `<name>:<seq>`, and spaces
 * separate the announcements.
 */
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

/**
 * Returns the announcements in a message. Text that is no announcement, from a stranger or from a different version of
 * this service, is ignored.
 */
export function unpacked(message: string): Announcement[] {
  if (message.length > MAX_MESSAGE) return []
  return message
    .split(' ', MAX_IN_MESSAGE)
    .map((entry) => /^([\w-]{22}):(\d{1,9})$/.exec(entry))
    .flatMap((match) => (match === null ? [] : [{ name: match[1] ?? '', seq: Number(match[2]) }]))
}
