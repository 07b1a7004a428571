import { afterAll, beforeAll, expect, it } from 'vitest'
import { certificateFiles } from '../agent/certified.js'
import { startService } from '../support/service.js'
import { newWallet } from '../support/wallet-actor.js'
import { certifiedStatusList, makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf } from './lists.js'

const operator = makeOperator()
const [authority, root] = [makeRoot('Authority'), makeRoot('Root')]

let lists: ListServer
let files: Awaited<ReturnType<typeof certificateFiles>>

beforeAll(async () => {
  lists = await startListServer()
  files = await certificateFiles()
  lists.publish('/pid.jwt', { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
})
afterAll(async () => {
  await lists.close()
  await files.remove()
})

it.each([
  ['is refused with TRUST_ANCHORS, which are for other issuers', 'TRUST_ANCHORS', 'Status list: '],
  ['is accepted with STATUS_TRUST_ANCHORS, which are for signers of status lists', 'STATUS_TRUST_ANCHORS', undefined],
])('a status list of a listed issuer whose signer is below a root %s', async (_, variable, refusal) => {
  await using service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}/pid.jwt`, operator)),
      [variable]: await files.fileOf([root]),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  expect(await refreshed(service)).toBe('changed')
  const wallet = await newWallet()
  const uri = `${lists.url}/status/${variable}`
  lists.publish(`/status/${variable}`, { body: await certifiedStatusList(makeLeaf(root), uri, []) })
  const credential = await membership(makeLeaf(authority), wallet, { status: { status_list: { uri, idx: 3 } } })
  const refused = await refusalOf(service, wallet, credential)
  if (refusal === undefined) expect(refused).toBeUndefined()
  else expect(refused).toContain(refusal)
})

it('attack: a status list of a listed issuer is refused from another entity of a list for status', async () => {
  lists.publish('/status.jwt', { body: await makeList(operator, [{ name: 'Agency', revocation: [root] }]) })
  await using service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(
        definition(`${lists.url}/pid.jwt`, operator),
        definition(`${lists.url}/status.jwt`, operator, { purpose: 'status' }),
      ),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  for (const { id } of await listsOf(service).all()) {
    expect((await listsOf(service).refresh(id)).json.list.state).toBe('usable')
  }
  const wallet = await newWallet()
  const uri = `${lists.url}/status/agency`
  const signedBy = async (by: typeof root) => {
    lists.publish('/status/agency', { body: await certifiedStatusList(makeLeaf(by), uri, []) })
    const status = { status_list: { uri, idx: 3 } }
    return refusalOf(service, wallet, await membership(makeLeaf(authority), wallet, { status }))
  }
  expect(await signedBy(root)).toContain('Status list: The signer is no service of Ministry on the list')
  expect(await signedBy(authority)).toBeUndefined()
})
