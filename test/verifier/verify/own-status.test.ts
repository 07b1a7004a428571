import { describe, expect, it } from 'vitest'
import type { ResolveIssuerKey } from '../../../server/protocol/credential/verification.js'
import type { VerificationFetches } from '../../../server/verifier/verify/fetches.js'
import { createStatusChecks, type StatusPorts, type StatusReading } from '../../../server/verifier/verify/status.js'

const LIST = '0b7a3a2e-4f4c-4a53-9b5e-2f6f3c2b1a00'
const BASE = 'https://issuer.example'
const jwkOf = (x: string) => ({ kty: 'EC', crv: 'P-256', x, y: 'y' })
const ISSUER = { jwk: jwkOf('own'), issuer: 'did:web:issuer.example' }

const never = () => Promise.reject(new Error('must not be called'))
const READING: StatusReading = {
  fetches: { fetchStatusList: never, fetchStatusListBytes: never } as unknown as VerificationFetches,
  resolveIssuerKey: never as ResolveIssuerKey,
  now: new Date(),
}

const ENTRY = { publicJwk: ISSUER.jwk, size: 100, revoked: false, suspended: false, bits: 1 } as NonNullable<
  Awaited<ReturnType<StatusPorts['ownEntry']>>
>

/** Makes the reader of statuses with a database that has one list. `asked` records the requested entries. */
function statuses(entry: Partial<typeof ENTRY> = {}) {
  const asked: string[] = []
  const checks = createStatusChecks({
    config: { issuerBaseUrl: BASE, statusTrustAnchors: [] },
    publishOwn: never,
    ownEntry: async (id, index) => {
      asked.push(`${id} ${index}`)
      return id === LIST ? { ...ENTRY, ...entry } : undefined
    },
  })
  return { asked, ...checks }
}

const token = (idx: number, list = LIST) => ({ uri: `${BASE}/token-status-lists/${list}`, idx })
const bitstring = (index: number) =>
  ({ statusListCredential: `${BASE}/status-lists/${LIST}`, statusListIndex: index }) as never

const suspensions = (index: number) =>
  ({ statusListCredential: `${BASE}/status-lists/${LIST}/suspension`, statusListIndex: index }) as never

describe('the status of a credential in a list of this installation', () => {
  it('is read from the database, in both forms of the list, and nothing is fetched', async () => {
    const { read, asked } = statuses()
    expect(await read(READING, [token(7), bitstring(8)], ISSUER)).toBe('valid')
    expect(asked).toEqual([`${LIST} 7`, `${LIST} 8`])
  })

  it('is the status of the first entry that is not valid', async () => {
    const { read, asked, assertNotRevoked } = statuses({ revoked: true })
    expect(await read(READING, [token(7), token(8)], ISSUER)).toBe('revoked')
    expect(asked).toHaveLength(1)
    await expect(assertNotRevoked(READING, [token(7)], ISSUER)).rejects.toMatchObject({
      message: 'Credential has been revoked.',
      check: 'revoked',
    })
  })

  it.each([
    [{ suspended: true, bits: 2 as const }, ['suspended', 'valid', 'suspended', 'suspended']],
    [{ revoked: true, bits: 2 as const }, ['revoked', 'revoked', 'valid', 'revoked']],
    // A credential that was suspended before it was revoked stays in the list of suspensions.
    [{ revoked: true, suspended: true, bits: 2 as const }, ['revoked', 'revoked', 'suspended', 'revoked']],
  ])('depends on the purpose of the list for %j', async (entry, expected) => {
    const { read } = statuses(entry)
    const references = [[token(7)], [bitstring(7)], [suspensions(7)], [bitstring(7), suspensions(7)]]
    expect(await Promise.all(references.map((some) => read(READING, some, ISSUER)))).toEqual(expected)
  })

  it('agrees with the published list in the evidence, also if a reinstatement comes in between', async () => {
    const states = [true, false, false, false]
    let at = 0
    let noted: unknown
    const checks = createStatusChecks({
      config: { issuerBaseUrl: BASE, statusTrustAnchors: [] },
      publishOwn: async () => ({
        body: String(states[at]),
        mediaType: '',
        etag: '',
        cacheControl: '',
        gzipped: new Uint8Array(),
      }),
      ownEntry: async () => {
        const entry = { ...ENTRY, bits: 2 as const, suspended: states[at] ?? false }
        at += 1
        return entry
      },
    })
    // The checks of a status call only `read`.
    const recorder = {
      read: ({ content }: { content: unknown }) => {
        noted = content
      },
    } as unknown as NonNullable<StatusReading['recorder']>
    expect([await checks.read({ ...READING, recorder }, [token(7)], ISSUER), at, noted]).toEqual(['valid', 3, 'false'])
  })

  it('is valid without an entry', async () => {
    await statuses({ revoked: true }).assertNotRevoked(READING, [], ISSUER)
  })

  it.each([
    ['an index beyond the end', token(100), 'Status list has no such index.'],
    ['an index that is too large for the column', token(2 ** 31), 'Status list has no such index.'],
    ['an unknown list', token(1, LIST.replace('0b', '1c')), 'Status list does not exist.'],
    ['an id that is none', token(1, `${LIST} 1; --`), 'Status list does not exist.'],
  ])('is not available at %s', async (_, reference, message) => {
    const { assertNotRevoked, asked } = statuses()
    await expect(assertNotRevoked(READING, [reference], ISSUER)).rejects.toMatchObject({ message, check: 'status' })
    expect(asked.some((one) => one.includes(';'))).toBe(false)
  })

  it('is not taken from a list of another key', async () => {
    const { read } = statuses({ publicJwk: jwkOf('another'), revoked: true } as Partial<typeof ENTRY>)
    await expect(read(READING, [token(7)], ISSUER)).rejects.toThrow(
      'Status list belongs to another issuer than the credential.',
    )
  })
})
