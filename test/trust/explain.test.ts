import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../server/protocol/jose/jws.js'
import { certificateFiles } from '../agent/certified.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { MEMBERSHIP, makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator } from './lists.js'

const operator = makeOperator()
const [authority, statusAuthority, root] = [makeRoot('Authority'), makeRoot('Status authority'), makeRoot('Root')]
const entities = [{ name: 'Ministry', issuance: [authority], revocation: [statusAuthority] }]

let lists: ListServer
let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let wallet: WalletActor
const url = (name: string) => `${lists.url}/${name}.jwt`

beforeAll(async () => {
  lists = await startListServer()
  files = await certificateFiles()
  wallet = await newWallet()
  service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(
        definition(url('typed'), operator, { types: ['urn:eudi:pid:1'] }),
        definition(url('status'), operator, { purpose: 'status' }),
      ),
      TRUST_ANCHORS: await files.fileOf([root]),
      TRUSTED_ISSUERS: 'self',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  for (const name of ['typed', 'status']) lists.publish(`/${name}.jwt`, { body: await makeList(operator, entities) })
  for (const { id } of await listsOf(service).all()) {
    expect((await listsOf(service).refresh(id)).json.outcome).toBe('changed')
  }
})
afterAll(async () => {
  await service.close()
  await lists.close()
  await files.remove()
})

const explained = async (body: Record<string, unknown>) => {
  const { status, json, text } = await listsOf(service).explain(body)
  expect(status, text).toBe(200)
  return json
}
const pemOf = (...chain: readonly { readonly certificate: unknown }[]) =>
  chain.map(({ certificate }) => String(certificate)).join('\n')

const NO_X5C =
  'TRUSTED_ISSUERS has no x5c: add x5c, or add the issuer by its name. The chain alone makes no issuer trusted.'

describe('POST /api/v1/trust/explain', () => {
  it('names the roots that a chain leads to, and says that TRUSTED_ISSUERS does not ask for chains', async () => {
    const answer = await explained({ certificate: pemOf(makeLeaf(root)), type: 'urn:eudi:pid:1' })
    expect(answer).toMatchObject({
      trusted: true,
      places: [
        { name: 'TRUST_ANCHORS', answer: 'trusted', sentence: 'The chain leads to the root CN=Root.' },
        { name: url('typed'), answer: 'not-trusted', sentence: 'The chain leads to no service of the list.' },
      ],
      advice: [NO_X5C],
    })
  })

  it('says where a chain ends: at a root that it holds, or at an issuer that it only names', async () => {
    const stranger = makeRoot('Stranger')
    const leaf = makeLeaf(stranger)
    expect((await explained({ certificate: pemOf(leaf, stranger) })).end).toBe(
      'The chain ends with the root CN=Stranger.',
    )
    expect((await explained({ certificate: leaf.x5c })).end).toBe(
      'The chain ends with CN=Club, which CN=Stranger has issued.',
    )
  })

  it('names the entity of a list that is not for the type, and whom to ask', async () => {
    const answer = await explained({ credential: await membership(makeLeaf(authority), wallet) })
    const sentence = `The service of Ministry on the list ${url('typed')} is not for the credential type ${MEMBERSHIP}.`
    expect(answer.places[1]).toMatchObject({ answer: 'not-trusted', entity: 'Ministry', sentence })
    expect(answer).toMatchObject({
      trusted: false,
      types: [MEMBERSHIP],
      advice: [
        `Ask the operator of the list ${url('typed')}: ${sentence}`,
        'Add a trusted list that has the issuer of the last certificate, or add its root to TRUST_ANCHORS.',
        NO_X5C,
      ],
    })
    const typed = await explained({ certificate: pemOf(makeLeaf(authority)), type: 'urn:eudi:pid:1' })
    expect(typed.places[1]).toMatchObject({ answer: 'trusted', sentence: 'The chain leads to a service of Ministry.' })
  })

  it('looks at the roots, the lists and the services of the purpose only', async () => {
    const asked = async (by: typeof authority, purpose: string) => {
      const { trusted, places } = await explained({ certificate: pemOf(makeLeaf(by)), purpose })
      return [trusted, ...places.map(({ name, sentence }: Record<string, string>) => `${name}: ${sentence}`)]
    }
    expect(await asked(statusAuthority, 'status')).toEqual([
      true,
      'STATUS_TRUST_ANCHORS: The certificate chain does not lead to a trust anchor.',
      `${url('status')}: The chain leads to a service of Ministry.`,
    ])
    expect(await asked(authority, 'status')).toEqual([
      false,
      'STATUS_TRUST_ANCHORS: The certificate chain does not lead to a trust anchor.',
      `${url('status')}: The service of Ministry on the list ${url('status')} is for another use.`,
    ])
    expect(await asked(authority, 'wallets')).toEqual([false, 'WALLET_TRUST_ANCHORS: There are no roots.'])
  })

  it('advises to trust an issuer without certificates by its name', async () => {
    const { did, signer } = wallet
    const payload = { iss: did, vct: MEMBERSHIP, cnf: { jwk: wallet.publicJwk } }
    const jwt = await signCompact(signer, { typ: 'dc+sd-jwt', kid: signer.kid }, payload)
    const answer = await explained({ credential: `${jwt}~` })
    expect(answer).toMatchObject({
      trusted: false,
      issuer: did,
      chain: [],
      end: 'There is no certificate chain.',
      places: [],
      advice: ['The credential has no certificate chain. Add its issuer to the trusted issuers by its name.'],
    })
  })
})
