import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { Encoded } from '../../../server/protocol/mdoc/cbor/values.js'
import { type Actor, makeIssuer, NAMESPACE } from '../../protocol/mdoc/actors.js'
import { changed, changedItem, listAt, mapAt, resigned, type Tree } from '../../protocol/mdoc/tampering.js'
import { DIPLOMA_DOCTYPE, DIPLOMA_MDOC, startRemoteIssuer } from '../../support/remote-issuer.js'
import { newWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { makeRoot, YEARS } from '../../verifier/certified.js'
import { licenceFor, type MdocWorld, makeMdocWorld } from '../mdoc-world.js'

const HOUR = 3_600_000
const DOCTYPE = { doctype: DIPLOMA_DOCTYPE }

let world: MdocWorld
beforeAll(async () => {
  world = await makeMdocWorld()
})
afterAll(() => world.close())

/**
 * Lets the wallet take an offer whose issuer sends a wrong document. Returns the refusal, and checks that the wallet
 * stores nothing.
 */
async function refusalOf(forge: (publicJwk: object) => Promise<string>): Promise<string> {
  await using remote = await startRemoteIssuer({ forge: (_, { publicJwk }) => forge(publicJwk) })
  const wallet = await newWallet(world.a)
  const answer = await wallet.process(await remote.offer([DIPLOMA_MDOC]))
  expect([answer.status, (await wallet.get('/credentials')).json]).toEqual([500, []])
  return answer.json.message
}

/** Does the same with a document that is changed before it is sent. */
const refusalOfChanged = (change: (root: Tree) => unknown) =>
  refusalOf(async (jwk) => changed(await licenceFor(world.issuer, jwk, DOCTYPE), change))

/** Does the same with a document whose issuer has signed a changed mobile security object. */
const refusalOfSigned = (change: (object: Tree) => unknown) =>
  refusalOf(async (jwk) => resigned(await licenceFor(world.issuer, jwk, DOCTYPE), world.issuer, change))

const CHANGED = 'Credential has an item that its issuer did not sign in that namespace.'

it('the unchanged document is accepted', async () => {
  await using remote = await startRemoteIssuer({
    forge: async (_, { publicJwk }) =>
      resigned(
        changed(await licenceFor(world.issuer, publicJwk, DOCTYPE), () => {}),
        world.issuer,
        () => {},
      ),
  })
  const answer = await (await newWallet(world.a)).process(await remote.offer([DIPLOMA_MDOC]))
  expect([answer.status, answer.json.credentials?.length]).toEqual([200, 1])
})

describe('attack: a mobile document is refused and not stored', () => {
  it('of another docType than in the metadata', async () =>
    expect(await refusalOf((jwk) => licenceFor(world.issuer, jwk))).toBe(
      'Credential is of another type than was offered.',
    ))

  it('with a changed item', async () =>
    expect(
      await refusalOfChanged((root) => {
        const items = listAt(root, 'nameSpaces', NAMESPACE)
        items[0] = changedItem(items[0], (item) => item.set('elementValue', 'Mallory'))
      }),
    ).toBe(CHANGED))

  it('with an item in another namespace than it was signed for', async () =>
    expect(
      await refusalOfChanged((root) => {
        const namespaces = mapAt(root, 'nameSpaces')
        namespaces.set('other', namespaces.get(NAMESPACE))
        namespaces.delete(NAMESPACE)
      }),
    ).toBe(CHANGED))

  it('with an item whose digest is missing', async () =>
    expect(
      await refusalOfSigned((object) => {
        const digests = mapAt(object, 'valueDigests', NAMESPACE)
        const [first] = digests.keys()
        digests.delete(Number(first))
      }),
    ).toBe(CHANGED))

  it('that is bound to another holder’s key', async () => {
    const { publicJwk } = await newRemoteKey()
    expect(await refusalOf(() => licenceFor(world.issuer, publicJwk, DOCTYPE))).toBe(
      'Credential is not bound to a key of this wallet.',
    )
  })

  it('that has expired', async () =>
    expect(
      await refusalOf((jwk) =>
        licenceFor(world.issuer, jwk, {
          ...DOCTYPE,
          issuedAt: new Date(Date.now() - 2 * HOUR),
          expiresAt: new Date(Date.now() - HOUR),
        }),
      ),
    ).toBe('Credential has expired.'))

  it('that is not valid yet', async () =>
    expect(
      await refusalOf((jwk) => licenceFor(world.issuer, jwk, { ...DOCTYPE, issuedAt: new Date(Date.now() + HOUR) })),
    ).toBe('Credential is not valid yet: its validityInfo lies in the future.'))

  it('whose chain leads to an untrusted root', async () => {
    const stranger: Actor = await makeIssuer(makeRoot('Stranger'), YEARS)
    expect(await refusalOf((jwk) => licenceFor(stranger, jwk, DOCTYPE))).toMatch(
      /^Issuer key cannot be resolved: .*trust/,
    )
  })

  it('that is signed by another key than the key of its certificate', async () => {
    const stranger: Actor = await makeIssuer(makeRoot('Stranger'), YEARS)
    expect(await refusalOf((jwk) => licenceFor(world.issuer, jwk, { ...DOCTYPE, signer: stranger.signer }))).toBe(
      'Issuer signature is invalid.',
    )
  })

  it('without a certificate, even if other formats could prove the issuer by a DID', async () =>
    expect(
      await refusalOfChanged((root) => {
        const auth = listAt(root, 'issuerAuth')
        auth[1] = new Map()
      }),
    ).toBe('Issuer signature has no x5chain.'))

  it('of an unknown version', async () =>
    expect(await refusalOfSigned((object) => object.set('version', '9.0'))).toBe(
      'Credential has a mobile security object of an unknown version.',
    ))

  it('with a status of an unreadable kind', async () =>
    expect(await refusalOfSigned((object) => object.set('status', new Map([['identifier_list', new Map()]])))).toBe(
      'Credential status holds no status_list with uri and idx.',
    ))
})

describe('attack: content that is not a mobile document is refused and not stored', () => {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

  it('CBOR that ends too early', async () =>
    expect(
      await refusalOf(async (jwk) =>
        base64url(Buffer.from(await licenceFor(world.issuer, jwk, DOCTYPE), 'base64url').subarray(0, -8)),
      ),
    ).toBe('Credential is not acceptable CBOR: it ends too early.'))

  it('CBOR with too many levels', async () =>
    expect(await refusalOf(async () => base64url(Buffer.alloc(60_000, 0x81)))).toBe(
      'Credential is not acceptable CBOR: nested deeper than 32 levels.',
    ))

  it('CBOR of an indefinite length', async () =>
    expect(await refusalOf(async () => base64url(Buffer.from([0xbf, 0xff])))).toBe(
      'Credential is not acceptable CBOR: an indefinite length.',
    ))

  it('with too many elements', async () =>
    expect(await refusalOf(async () => base64url(encodeCbor(Array.from({ length: 5_000 }, () => 0))))).toBe(
      'Credential is not acceptable CBOR: more than 4096 elements.',
    ))

  it('an oversized document', async () =>
    expect(
      await refusalOf(async (jwk) =>
        changed(await licenceFor(world.issuer, jwk, DOCTYPE), (root) =>
          root.set('more', new Encoded(encodeCbor(Buffer.alloc(600_000)))),
        ),
      ),
    ).toContain('answered with more than 786432 bytes'))

  it('a presentation instead of a document', async () =>
    expect(await refusalOf(async () => base64url(encodeCbor(new Map([['version', '1.0']]))))).toBe(
      'Issuer signature is no COSE_Sign1.',
    ))

  it('a credential of another format', async () => {
    await using remote = await startRemoteIssuer({ forge: (issuer, { publicJwk }) => issuer.signSdJwtVc(publicJwk) })
    const wallet = await newWallet(world.a)
    const answer = await wallet.process(await remote.offer([DIPLOMA_MDOC]))
    expect([answer.json.message, (await wallet.get('/credentials')).json]).toEqual([
      'Credential has another format than was offered.',
      [],
    ])
  })
})
