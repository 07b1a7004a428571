import { afterAll, beforeAll, expect, it } from 'vitest'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { newWallet } from '../../support/wallet-actor.js'
import { CLAIMS, LICENCE, MDOC, startMdocIssuer } from './mdoc-actors.js'

let world: Awaited<ReturnType<typeof startMdocIssuer>>

beforeAll(async () => {
  world = await startMdocIssuer()
})
afterAll(() => world.close())

it('30 wallets at once on an offering with redemption_limit 10 get exactly 10 mobile documents, each with its own status', async () => {
  const { issuer } = world
  const wallets = await Promise.all(Array.from({ length: 30 }, () => newWallet()))
  const { id } = await issuer.makeOffering({
    credential_type: LICENCE,
    credential_subject: CLAIMS,
    redemption_limit: 10,
  })
  const tokens = await Promise.all(wallets.map(() => issuer.token(id)))
  const taken = await Promise.all(wallets.map((wallet, at) => issuer.take(tokens[at] ?? '', MDOC, wallet)))
  const refusals = taken.flatMap(({ status, json }) => (status === 200 ? [] : [`${status} ${json.error}`]))
  expect(refusals).toEqual(Array(20).fill('400 credential_request_denied'))
  const issued = taken
    .filter(({ status }) => status === 200)
    .map(({ json }) => readMdoc(json.credentials[0].credential))
  const places = issued.map(({ status }) => `${status?.uri} ${status?.idx}`)
  expect([issued.length, new Set(places).size]).toEqual([10, 10])
})
