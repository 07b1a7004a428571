import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, startIssuer } from '../issuer/openid4vci/actors.js'
import { query } from '../support/postgres.js'
import { ask, dcql, fetchRequest, postForm } from '../verifier/actors.js'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
})
afterAll(() => issuer.service.close())

const changesOf = async (session: string) => {
  const rows = await query<{ changes: Record<string, unknown> }>(
    issuer.service.databaseUrl,
    'SELECT changes FROM session_events WHERE session_id = $1 ORDER BY seq',
    [session],
  )
  return rows.map(({ changes }) => changes)
}

describe('the stored part of an event', () => {
  it('of an offer has the changes since the session began, of any size', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    expect((await issuer.take(await issuer.token(id), JWT_VC)).status).toBe(200)
    const changes = await changesOf(id)
    expect(changes.map(({ state }) => state)).toEqual(['OfferRetrieved', 'TokenIssued', 'CredentialIssued'])
    expect(changes.flatMap(Object.keys).filter((name) => name !== 'state')).toEqual([])
  })

  it('of a request is the same, and never contains the query, which is the largest part', async () => {
    const asked = await ask(issuer.service, { dcqlQuery: dcql(issuer.service, 'dc+sd-jwt') })
    const { response_uri: address, state } = await fetchRequest(asked)
    await postForm(String(address), { state: String(state), error: 'access_denied', error_description: 'no' })
    const changes = await changesOf(asked.verificationSessionId)
    expect(changes.map(({ state }) => state)).toEqual(['RequestUriRetrieved', 'Error'])
    expect(changes.map((each) => Object.keys(each).toSorted())).toEqual([['state'], ['errorMessage', 'state']])
  })
})
