import { expect, it } from 'vitest'
import { startService } from '../support/service.js'
import { definition, listsFile, listsOf, makeOperator } from './lists.js'

const operator = makeOperator()
const list = (name: string, more = {}) => definition(`http://127.0.0.1:1/${name}.jwt`, operator, more)

it('a list of TRUST_LISTS is not added again for its purpose, and there are at most 100 lists', async () => {
  const TRUST_LISTS = await listsFile(...Array.from({ length: 99 }, (_, at) => list(`list-${at}`)))
  await using service = await startService({
    maintenance: false,
    env: { TRUST_LISTS, TRUSTED_ISSUERS: 'self,x5c', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
  })
  const api = listsOf(service)
  const again = await api.add(list('list-7'))
  expect([again.status, again.json.message]).toEqual([409, 'url is a trusted list for this purpose already.'])
  const last = await api.add(list('list-7', { purpose: 'status' }))
  expect([last.status, last.json.check]).toEqual([201, 'unreachable'])
  const more = await api.add(list('more'))
  expect([more.status, more.json.message]).toEqual([409, 'There are 100 trusted lists already.'])
  expect(await api.all()).toHaveLength(100)
  expect((await api.remove(last.json.id)).status).toBe(204)
  expect((await api.add(list('more'))).status).toBe(201)
})
