import { describe, expect, it } from 'vitest'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { createStatusListCwt, decodeStatusListCwt, verifyStatusListCwt } from '../../../server/protocol/mdoc/mdoc.js'
import { readTokenStatus } from '../../../server/protocol/status-list/token-status-list.js'
import { makeAuthority, makeHolder, makeIssuer } from './actors.js'

const LIST = 'https://example.com/statuslists/1'

/** Token Status List §5.2, the example of a Status List Token in CWT format. */
const EXAMPLE = Buffer.from(
  'd2845820a2012610781a6170706c69636174696f6e2f7374617475736c6973742b637774a1044231325850a502782168747470733a2f2f6578616d706c652e636f6d2f7374617475736c697374732f31061a648c5bea041a8898dfea19fffe19a8c019fffda2646269747301636c73744a78dadbb918000217015d584093fa4d01032b18c35e2fe1101b77fd6cc9440022caa4694450c4e4e9feab4e99d1fa6d9772ce2bf3a12e0323ded7c982c5e101a5e67f0cbc1e2b6f57ce99c279',
  'hex',
)

/** The key that signs the examples of the draft. */
const EXAMPLE_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'I3HWm_0Ds1dPMI-IWmf4mBmH-YaeAVbPVu7vB27CxXo',
  y: '6N_d5Elj9bs1htgV3okJKIdbHEpkgTmAluYKJemzn1M',
}

const issuer = await makeIssuer(makeAuthority())
const input = {
  signer: issuer.signer,
  issuer: 'https://issuer.example',
  uri: LIST,
  revokedIndices: [0, 5],
  size: 64,
  issuedAt: new Date('2026-06-01T10:00:00Z'),
  expiresAt: new Date('2026-06-02T10:00:00Z'),
  ttlSeconds: 300,
}

describe('A Status List Token in CWT format (Token Status List §5.2)', () => {
  it('is read from the example, and its signature verified', () => {
    const list = decodeStatusListCwt(EXAMPLE)
    verifyStatusListCwt(list, EXAMPLE_KEY)
    const { header, payload } = list
    expect(header).toEqual({ kid: '12' })
    expect(payload).toEqual({
      sub: LIST,
      iat: 1686920170,
      exp: 2291720170,
      ttl: 43200,
      status_list: { bits: 1, lst: 'eNrbuRgAAhcBXQ' },
    })
    const statuses = [...Array(16).keys()].map((idx) => readTokenStatus(payload, { uri: LIST, idx }))
    expect(statuses).toEqual([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])
  })

  it('is made, and can be read and verified again', async () => {
    const list = decodeStatusListCwt(await createStatusListCwt({ ...input, x5c: [issuer.x5c] }))
    expect(list.header).toEqual({ x5c: [issuer.x5c] })
    expect(list.payload).toMatchObject({ sub: LIST, iat: 1780308000, exp: 1780394400, ttl: 300 })
    verifyStatusListCwt(list, issuer.signer.publicJwk)
    const statuses = [...Array(8).keys()].map((idx) => readTokenStatus(list.payload, { uri: LIST, idx }))
    expect(statuses).toEqual([1, 0, 0, 0, 0, 1, 0, 0])
  })

  it('names its key if it has no certificate', async () => {
    expect(decodeStatusListCwt(await createStatusListCwt(input)).header).toEqual({ kid: issuer.signer.kid })
  })

  it('is refused under another key', async () => {
    const list = decodeStatusListCwt(await createStatusListCwt(input))
    const { publicJwk } = await makeHolder()
    expect(() => verifyStatusListCwt(list, publicJwk)).toThrow('Status list signature is invalid.')
  })

  it.each([
    ['without its tag', EXAMPLE.subarray(1), 'Status list is no tagged COSE_Sign1.'],
    [
      'under another tag',
      Buffer.concat([Buffer.from('d1', 'hex'), EXAMPLE.subarray(1)]),
      'Status list is no tagged COSE_Sign1.',
    ],
    [
      'of another type',
      Buffer.from(EXAMPLE.toString('hex').replace('6c6973742b637774', '6c6973742b6a7774'), 'hex'),
      'Status list is not of type application/statuslist+cwt.',
    ],
    [
      'without a payload',
      Buffer.from(
        encodeCbor(new Tagged(18, [Buffer.from(EXAMPLE.subarray(4, 36)), new Map(), null, Buffer.alloc(64)])),
      ),
      'Status list has no claims.',
    ],
    ['longer than 2 MiB', Buffer.alloc(2 ** 21 + 1), 'Status list is not acceptable CBOR: longer than 2097152 bytes.'],
  ])('is refused %s', (_, bytes, message) => {
    expect(() => decodeStatusListCwt(bytes)).toThrow(message)
  })
})
