import { expect, it } from 'vitest'
import { startService } from '../support/service.js'
import { newWallet } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refusalOf } from './lists.js'

it('the refusal of an issuer that is on none of many lists names lists first that cannot be used, with the reason', async () => {
  const operator = makeOperator()
  const lists = await startListServer()
  const url = (name: string) => `${lists.url}/${name}.jwt`
  const names = ['one', 'two', 'three', 'away']
  const body = await makeList(operator, [{ name: 'Ministry', issuance: [makeRoot('Authority')] }])
  for (const name of names.slice(0, 3)) lists.publish(`/${name}.jwt`, { body })
  {
    await using service = await startService({
      maintenance: false,
      env: {
        TRUST_LISTS: await listsFile(...names.map((name) => definition(url(name), operator))),
        TRUSTED_ISSUERS: 'self,x5c',
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    for (const { id } of await listsOf(service).all()) await listsOf(service).refresh(id)
    const wallet = await newWallet()
    const stranger = await membership(makeLeaf(makeRoot('Stranger')), wallet)
    expect(await refusalOf(service, wallet, stranger)).toBe(
      `Presentation for club: Issuer key cannot be resolved: Issuer is on none of the 4 lists: ${url('away')} (list could not be read: ` +
        `${new URL(lists.url).host} answered with status 404), ${url('one')}, ${url('two')}, and 1 more.`,
    )
  }
  await lists.close()
})
