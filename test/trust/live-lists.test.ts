import { afterAll, expect, it } from 'vitest'
import type { ListDefinition } from '../../server/config/trust-lists.js'
import { createLiveLists } from '../../server/trust/live/live-lists.js'
import { createListReading } from '../../server/trust/reading/reader.js'
import { makeLeaf, makeRoot } from '../verifier/certified.js'
import { definition, makeList, makeOperator } from './lists.js'

const operator = makeOperator()
const authority = makeRoot('Authority')
const reading = createListReading()
afterAll(() => reading.close())

it('content that a process fails to read is not replaced by the content before, and is read again', async () => {
  const content = { version: 1, bytes: await makeList(operator, [{ name: 'Ministry', issuance: [authority] }]) }
  const broken = { is: false }
  const live = createLiveLists({
    configured: [definition('https://lists.example/pid.jwt', operator) as ListDefinition],
    lists: { added: async () => [] },
    documents: {
      states: async ([id = '']) => [
        {
          id,
          url: 'https://lists.example/pid.jwt',
          version: content.version,
          sequenceNumber: 1,
          issuedAt: null,
          nextUpdate: null,
          readAt: new Date(),
          checkedAt: new Date(),
          failedCheck: null,
          failure: null,
          failedAt: null,
          alert: null,
          alertAt: null,
          notedState: null,
        },
      ],
      content: async () => content,
    },
    reading: {
      read: (bytes, job) => (broken.is ? Promise.reject(new Error('the thread has ended')) : reading.read(bytes, job)),
    },
    clock: () => new Date(),
    log: { warn: () => undefined, info: () => undefined },
  })
  const find = () =>
    live.trust.credentials.find([makeLeaf(authority).x5c], { now: new Date(), purpose: 'credential' }).listed.list
  await live.refresh()
  expect(find()).toBe('https://lists.example/pid.jwt')
  broken.is = true
  content.version = 2
  await live.refresh()
  expect(find).toThrow('The list could not be read by this process')
  broken.is = false
  await live.refresh()
  expect(find()).toBe('https://lists.example/pid.jwt')
  await live.close()
})
