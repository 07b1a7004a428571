import { createHmac } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/**
 * What processes tell each other once a transition is committed: that a session has an event of this number, and nothing
 * else. Who hears it reads the event from the database, so that whoever can send announcements can cause no more than
 * a read. The session goes by a name that only this installation can make of its id, since ids open offers.
 */
export interface Announcement {
  readonly name: string
  readonly seq: number
}

/** Octets of a message: PostgreSQL has room for just under 8,000 in a notification. */
const MAX_MESSAGE = 7_800
/** A message of nothing but the shortest announcements has no more than this. */
const MAX_IN_MESSAGE = MAX_MESSAGE / 24

/** Names of sessions, by a key of the installation: 22 characters of base64url. */
export const sessionNames =
  (key: Uint8Array) =>
  (sessionId: string): string =>
    createHmac('sha256', secretKey(key)).update(sessionId).digest().subarray(0, 16).toString('base64url')

/** Messages that hold all announcements, `<name>:<seq>` parted by spaces, in as few as there can be. */
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

/** What a message announces. Whatever is no announcement, of a stranger or another version, is passed over. */
export function unpacked(message: string): Announcement[] {
  if (message.length > MAX_MESSAGE) return []
  return message
    .split(' ', MAX_IN_MESSAGE)
    .map((entry) => /^([\w-]{22}):(\d{1,9})$/.exec(entry))
    .flatMap((match) => (match === null ? [] : [{ name: match[1] ?? '', seq: Number(match[2]) }]))
}
