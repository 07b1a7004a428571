import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '../../server/log/log.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf } from './lists.js'

const TOKEN = 'secret-of-the-list'
const PATH = `/pid.jwt?token=${TOKEN}`

const operator = makeOperator()
const authority = makeRoot('Authority')

let lists: ListServer
let service: TestService
let wallet: WalletActor
let written = ''

beforeAll(async () => {
  lists = await startListServer()
  wallet = await newWallet()
  service = await startService({
    maintenance: false,
    log: createLog('info', {
      write(text: string) {
        written += text
      },
    }),
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}${PATH}`, operator)),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
})
afterAll(async () => {
  await service.close()
  await lists.close()
})

it('the query of an address, which may hold a token, is sent to the address, and is in no log line and no sentence', async () => {
  const credential = await membership(makeLeaf(authority), wallet)
  const said = async () => {
    const setup = await service.request('GET', '/api/v1/setup?ask=false', { client: true })
    const [list] = await listsOf(service).all()
    return [
      await refusalOf(service, wallet, credential),
      setup.text,
      list.reason,
      (await listsOf(service).explain({ credential })).text,
      (await service.request('GET', '/health/readiness')).text,
    ].join('\n')
  }
  expect(await refreshed(service)).toBe('unreachable')
  expect(lists.requests.map(({ path }) => path)).toEqual([PATH])
  expect(await said()).toContain(`${lists.url}/pid.jwt`)
  expect(await said()).not.toContain(TOKEN)
  lists.publish(PATH, { body: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) })
  expect(await refreshed(service)).toBe('changed')
  expect(await said()).not.toContain(TOKEN)
  const messages = written.split('\n').filter((line) => line.includes(`"list":"${lists.url}/pid.jwt"`))
  expect(messages.map((line) => JSON.parse(line).msg)).toEqual([
    'a trusted list cannot be read',
    'a trusted list can be read again',
  ])
  expect(written).not.toContain(TOKEN)
})
