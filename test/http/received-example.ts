import type { Visited } from './tourist.js'

const BASE = 'https://credence.example.org'
const HOST = 'credence.example.org'
const UUIDS = [
  '3f0c8a52-6d1e-4b7f-9a64-2c5e8d7b1f90',
  'b84d7e1a-0c39-4f62-8e15-7a9d3c6f2b08',
  '6e29f4c7-8b5a-4d03-b1f6-905c7e3a8d41',
  'd1a7c3e8-2f64-49b0-a57d-3b8e6c0f9a25',
  '9c5b2d70-e8f1-4a36-8d92-1f4e7b6a3c58',
  '27e8a4f6-3c9d-4b15-9e70-8d2c5f1b6a93',
]
const RANDOM = 'x7Fq2LmWz0aTjK9cVbN4Yg'
/** The serial number and the times of a certificate. */
const SERIAL = '01667E5DE50108FF43'
/** The secret, a signature and the id of a webhook's delivery. */
const SECRET = 'whsec_C2FVsBQI/hrscChlQIMV+b5sSYspob7o/K5oZfzN95Z9='
const SIGNATURE = 'v1,K5oZfzN95Z9UVu1/sfQmfVNQhnkZ2pj9/9NDN+H/pI4='
const MESSAGE = 'msg_2b8c0b1f6a1f4a0ca5a3c2d7a3d1c9e4'
/** A transaction code. */
const TX_CODE = '493536'
/** The index in a status list. */
const INDEX = 94567
/** Number of characters of a page or a style sheet in an example. */
const MAX_TEXT = 100
/** The settings in an example. Other settings differ between machines. */
const MAX_SETTINGS = 3
/** The time until the answer of another server. */
const MILLISECONDS = 42
const MOMENT = Date.UTC(2026, 2, 1, 12)

/** Replaces values that differ between runs by fixed plausible values. All other values stay as received. */
class Steady {
  readonly #uuids = new Map<string, string>()

  constructor(private readonly url: string) {}

  text(text: string): string {
    const { host } = new URL(this.url)
    const port = host.split(':')[1] ?? ''
    return text
      .replaceAll(/\beyJ[\w-]+(\.[\w-]*){2,4}(~[\w.~-]*)?/g, 'eyJhbGciOiJFUzI1NiIs…')
      .replaceAll(this.url, BASE)
      .replaceAll(encodeURIComponent(this.url), encodeURIComponent(BASE))
      .replaceAll(new RegExp(`127\\.0\\.0\\.1(:|%3A|%253A)${port}`, 'g'), HOST)
      .replaceAll(/did:jwk:eyJ[\w-]+/g, 'did:jwk:eyJrdHkiOiJFQyIs…')
      .replaceAll(/(?<=[:#]|%3A)z[1-9A-HJ-NP-Za-km-z]{40,}/g, 'zDnaeUm3QkcyZWZT…')
      .replaceAll(/(status-lists\/[\w-]+#)\d+/g, `$1${INDEX}`)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => this.#uuid(uuid))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, (_, fraction) =>
        new Date(MOMENT).toISOString().replace('.000', fraction === undefined ? '' : '.000'),
      )
      .replaceAll(/\bwhsec_[\w+/]{43}=/g, SECRET)
      .replaceAll(/\bv1,[\w+/]{43}=/g, SIGNATURE)
      .replaceAll(/\bmsg_[0-9a-f]{32}/g, MESSAGE)
      .replaceAll(/^\d{10}$/g, String(MOMENT / 1_000))
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/webhooks/g, 'https://backend.example.com/webhooks')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/lists/g, 'https://lists.example.com')
      .replaceAll(/\b[0-9a-f]{32}\b/g, '5f2b8c10…')
      .replaceAll(/\b01[0-9A-F]{16}\b/g, '01A1B2C3D4E5F60718')
      .replaceAll(/\b[0-9A-F]{2}(:[0-9A-F]{2}){31}\b/g, '5C:42:1D:33:…')
      .replaceAll(/(-----BEGIN [A-Z ]+-----\n)[\w+/=\n]+?(\n-----END)/g, '$1MIIB…$2')
      .replaceAll(/(data:image\/png;base64,iVBORw0KGgo)[\w+/=]*/g, '$1…')
      .split(/(%[0-9A-F]{2})/)
      .map((part) => part.replaceAll(/[\w-]{21,}/g, (token) => (isRandom(token) ? RANDOM : token)))
      .join('')
  }

  #uuid(uuid: string): string {
    const known = this.#uuids.get(uuid) ?? UUIDS[this.#uuids.size % UUIDS.length] ?? uuid
    this.#uuids.set(uuid, known)
    return known
  }

  json(value: unknown, name = ''): unknown {
    if (name === 'serialNumber') return SERIAL
    if (name === 'txCode') return TX_CODE
    // The hash of an image that is the same in each run.
    if (name === 'integrity') return value
    if (typeof value === 'string') return name === 'statusListIndex' ? String(INDEX) : this.text(value)
    if (typeof value === 'number') return steadyNumber(name, value)
    if (name === 'settings' && Array.isArray(value)) return value.slice(0, MAX_SETTINGS).map((one) => this.json(one))
    if (Array.isArray(value)) return value.map((element) => this.json(element, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, this.json(inner, member)]))
  }
}

/** Long words with capitals that occur in answers. */
const WORDS: ReadonlySet<string> = new Set([
  'BitstringStatusListEntry',
  'JsonSchemaValidator2018',
  'ProofOfPurchase-sd-jwt',
  'VerifiableCredential',
])

/** Whether a text is random or computed base64url. A text of two dozen characters without a capital is a word. */
const isRandom = (token: string): boolean => /[A-Z]/.test(token) && !WORDS.has(token)

function steadyNumber(name: string, value: number): number {
  if (name === 'statusListIndex' || name === 'idx') return INDEX
  if (name === 'milliseconds') return MILLISECONDS
  if (value > 1e12) return MOMENT
  return value > 1e9 ? MOMENT / 1000 : value
}

/** The body of an answer in the document's form: the beginning of a page, the first bytes of an image. */
export function receivedExample({ headers, text, json }: Visited, url: string): unknown {
  const steady = new Steady(url)
  if (json !== undefined) return steady.json(json)
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('image/')) return type === 'image/svg+xml' ? '<svg…' : '‰PNG…'
  if (type.startsWith('text/event-stream')) {
    return text
      .replace(/^id: (.*)$/m, (_, id) => `id: ${steady.text(id)}`)
      .replace(/^data: (.*)$/m, (_, data) => `data: ${JSON.stringify(steady.json(JSON.parse(data)))}`)
  }
  const shown = steady.text(text)
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}…` : shown
}
