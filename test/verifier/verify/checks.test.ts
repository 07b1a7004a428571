import { describe, expect, it } from 'vitest'
import { FORMATS, useWorld } from '../world.js'

const world = useWorld()

async function checked(credential: string) {
  const answer = await world.service.request('POST', '/api/v1/credentials/checks', {
    authorization: await world.service.bearer('verifier'),
    body: { credential },
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const verdictOf = async (credential: string) =>
  (
    await world.service.request('POST', '/credentials/verify', {
      authorization: await world.service.bearer('verifier'),
      body: { credential },
    })
  ).json

describe('POST /api/v1/credentials/checks', () => {
  it.each(FORMATS)(
    'names every check and the issuer of a valid credential, with the same verdict as /credentials/verify: %s',
    async (format) => {
      const { credential } = world.held[format]
      const { verdict, checks } = await checked(credential)
      expect(verdict).toMatchObject({ isValid: true })
      const { issuer, ...others } = verdict
      expect(others).toEqual(await verdictOf(credential))
      expect(issuer).toBe(verdict.payload.iss)
      expect(checks.map(({ check, outcome }: Record<string, string>) => `${check} ${outcome}`)).toEqual(
        ['format', 'issuer-key', 'signature', 'validity', 'revoked'].map((check) => `${check} passed`),
      )
    },
  )

  it('names the passed checks, the failed check with the sentence of the verdict, and the checks not reached', async () => {
    const { credential } = world.held.jwt_vc_json
    const forged = `${credential.slice(0, -8)}AAAAAAAA`
    const { verdict, checks } = await checked(forged)
    expect(verdict).toEqual(await verdictOf(forged))
    expect(checks.map(({ check, outcome }: Record<string, string>) => `${check} ${outcome}`)).toEqual([
      'format passed',
      'validity passed',
      'issuer-key passed',
      'signature failed',
      'revoked not-reached',
    ])
    expect(checks[3].message).toBe(verdict.error)
  })

  it.each(['nothing', ''])(
    'a text that is not a credential fails the check of its form, or is a 400: %j',
    async (credential) => {
      const answer = await world.service.request('POST', '/api/v1/credentials/checks', {
        authorization: await world.service.bearer('verifier'),
        body: { credential },
      })
      if (credential === '') expect(answer.status).toBe(400)
      else
        expect(answer.json.checks).toMatchObject([
          { check: 'format', outcome: 'failed' },
          ...['issuer-key', 'signature', 'validity', 'revoked'].map((check) => ({ check, outcome: 'not-reached' })),
        ])
    },
  )

  it('needs a token', async () => {
    const answer = await world.service.request('POST', '/api/v1/credentials/checks', { body: { credential: 'x' } })
    expect(answer.status).toBe(401)
  })
})
