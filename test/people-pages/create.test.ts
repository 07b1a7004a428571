import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

const ISSUER = 'credence-issuer'
const VERIFIER = 'credence-verifier'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: { ISSUER_ROLE: ISSUER, VERIFIER_ROLE: VERIFIER } })
})
afterAll(() => service.close())

describe('the callers who may make a page, with ISSUER_ROLE and VERIFIER_ROLE', () => {
  it.each([
    ['verificationSessionId', VERIFIER, ISSUER],
    ['credentialOfferSessionId', ISSUER, VERIFIER],
    ['offeringId', ISSUER, VERIFIER],
  ])('%s: %s', async (member, role, otherRole) => {
    const asked = async (roles: readonly string[]) => {
      const { status, json } = await service.request('POST', '/pages', {
        authorization: await service.bearer('alice', { roles }),
        body: { [member]: crypto.randomUUID() },
      })
      return [status, json.message]
    }
    expect(await asked([otherRole])).toEqual([403, 'Insufficient role.'])
    expect(await asked(['admin'])).toEqual([404, `${member} is unknown.`])
    // A caller who has the role gets the error that the target does not exist.
    expect(await asked([role])).toEqual([404, `${member} is unknown.`])
  })
})
