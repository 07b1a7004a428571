import { beforeAll, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { decodeCbor } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type Encodable, TAG_ENCODED_CBOR, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import {
  presentMdoc,
  redirectTranscript,
  type VerifiedMdoc,
  verifyDeviceResponse,
} from '../../../server/protocol/mdoc/mdoc.js'
import { issue, MORE, makeAuthority, makeHolder, makeIssuer, NAMESPACE, trusting } from './actors.js'
import { encodedItem } from './tampering.js'

const TURNS = 400
const sessionTranscript = redirectTranscript({ clientId: 'c', nonce: 'n', responseUri: 'https://verifier.example' })
const authority = makeAuthority()
let presented: Buffer

beforeAll(async () => {
  const holder = await makeHolder()
  const status = { idx: 7, uri: 'https://issuer.example/token-status-lists/1' }
  const issuerSigned = await issue(await makeIssuer(authority), holder, { status })
  const disclose = [
    [NAMESPACE, 'driving_privileges'],
    [NAMESPACE, 'birth_date'],
    [MORE, 'organ_donor'],
  ] as const
  presented = Buffer.from(await presentMdoc({ issuerSigned, disclose, sessionTranscript, signer: holder }), 'base64url')
})

/** Pseudo-random numbers that are the same in every run (mulberry32). */
function seeded(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const OTHERS: readonly Encodable[] = [
  0,
  -1,
  2 ** 40,
  '',
  'x',
  null,
  undefined,
  true,
  1.5,
  Buffer.alloc(0),
  Buffer.alloc(3),
  [],
  new Map(),
  new Tagged(24, 'x'),
  new Tagged(0, 'x'),
  new Tagged(18, []),
]

/**
 * Returns a copy of a data item with one change: inside an array, a map, a tag or an encoded item, or the whole item is
 * replaced.
 */
function mutated(value: Encodable, random: (below: number) => number): Encodable {
  const other = () => OTHERS[random(OTHERS.length)]
  if (random(6) === 0) return other()
  if (value instanceof Tagged) {
    const inner = value.value
    if (value.tag !== TAG_ENCODED_CBOR || !(inner instanceof Uint8Array)) return new Tagged(random(30), inner)
    return encodedItem(mutated(decodeCbor(inner, { what: 'Test' }), random))
  }
  if (Array.isArray(value)) {
    const copy: Encodable[] = [...value]
    const position = random(copy.length + 1)
    const kind = random(5)
    if (kind === 0) copy.splice(position, 1)
    else if (kind === 1) copy.splice(position, 0, copy[random(copy.length + 1)])
    else if (position < copy.length) copy[position] = mutated(copy[position], random)
    return copy
  }
  if (value instanceof Map) {
    const pairs = [...value]
    const position = random(pairs.length + 1)
    const pair = pairs[position]
    const kind = random(5)
    if (kind === 0) pairs.splice(position, 1)
    else if (kind === 1) pairs.push([random(2) === 0 ? random(40) : `key${random(9)}`, other()])
    else if (pair !== undefined) pairs[position] = [pair[0], mutated(pair[1], random)]
    return new Map(pairs)
  }
  if (value instanceof Uint8Array && value.length > 0) {
    // The payload of a signature is CBOR in a string of bytes.
    if (value.length > 500 && random(2) === 0) return encodeCbor(mutated(decodeCbor(value, { what: 'Test' }), random))
    return flipped(value, random)
  }
  return other()
}

function flipped(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  const copy = Buffer.from(bytes)
  const position = random(copy.length)
  copy[position] = (copy[position] ?? 0) ^ (1 << random(8))
  return copy
}

const cut = (bytes: Uint8Array, random: (below: number) => number) => bytes.subarray(0, random(bytes.length))

type Said = Pick<VerifiedMdoc, 'claims' | 'doctype' | 'status'>

/** Checks that a changed document is refused with a sentence of this service, or accepted with the same content. */
async function judged(bytes: Uint8Array, original: Said): Promise<'refused' | 'accepted'> {
  const response = Buffer.from(bytes).toString('base64url')
  try {
    const verified = await verifyDeviceResponse(response, { ...trusting(authority), sessionTranscript })
    // Items may be omitted.
    expect(original).toMatchObject({ claims: verified.claims, doctype: verified.doctype, status: verified.status })
    return 'accepted'
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    expect(error.message).toMatch(/^[A-Z].*\.$/)
    expect(error.message).not.toContain('1990-12-24')
    return 'refused'
  }
}

it.each([
  [
    'structures',
    (random: (below: number) => number) => encodeCbor(mutated(decodeCbor(presented, { what: 'Test' }), random)),
  ],
  ['bits', (random: (below: number) => number) => flipped(presented, random)],
  ['ends', (random: (below: number) => number) => cut(presented, random)],
])(
  'no change of its %s changes the content of a presentation or causes another error than a refusal',
  async (_, mutation) => {
    const random = seeded(0x6d646f63)
    const options = { ...trusting(authority), sessionTranscript }
    const { claims, doctype, status } = await verifyDeviceResponse(presented.toString('base64url'), options)
    const verdicts = { refused: 0, accepted: 0 }
    for (let turn = 0; turn < TURNS; turn += 1)
      verdicts[await judged(mutation(random), { claims, doctype, status })] += 1
    // Only unsigned parts may change without a refusal: unknown members and headers.
    expect(verdicts.refused).toBeGreaterThan(TURNS / 2)
  },
)
