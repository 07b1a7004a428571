import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localEnvironment, startProcess } from '../main/process.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'

const REDIRECT_URI = 'https://wallet.example/callback'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
}, 600_000)
afterAll(() => database?.drop())

const start = () => startProcess({ ...localEnvironment(database.url), RATE_LIMIT_MAX: '0' })

/** Returns only the path of a redirect, because the process does not listen at the base URL. */
const nextPath = (answer: Response) => new URL(answer.headers.get('location') ?? '').pathname

async function decided(url: string, challenge: string): Promise<string> {
  const schema = { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] }
  await fetch(`${url}/schemas`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Purchase', version: 1, schema }),
  })
  const parameters = new URLSearchParams({
    client_id: 'wallet',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'Purchase-sd-jwt',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const opened = await fetch(`${url}/openid4vci/authorize?${parameters}`, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const path = nextPath(opened)
  const page = await (await fetch(`${url}${path}`, { headers: { cookie } })).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...form, cookie },
    body: new URLSearchParams({ token, decision: 'accept', '/product': 'Espresso machine' }),
  })
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

it('kill -9 between decision and token loses nothing: the code is redeemed at the next process', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const first = start()
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const code = await decided(await first.url(), challenge)
  expect(code).toMatch(/^[\w-]{43}$/)
  first.child.kill('SIGKILL')
  await first.exit()

  const [row] = await query(
    database.url,
    'SELECT state, credential_subject FROM authorizations a JOIN offerings o ON o.id = a.offering_id',
  )
  expect(row).toEqual({ state: 'Granted', credential_subject: { product: 'Espresso machine' } })
  await using second = start()
  const redeemed = await fetch(`${await second.url()}/openid4vci/token`, {
    method: 'POST',
    headers: form,
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: 'wallet',
    }),
  })
  expect(redeemed.status).toBe(200)
  expect(await redeemed.json()).toMatchObject({ scope: 'Purchase-sd-jwt' })
})
