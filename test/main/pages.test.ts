import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { portOf } from '../support/local-server.js'
import { createTestDatabase } from '../support/postgres.js'
import { newWallet } from '../support/wallet-actor.js'
import { answer, fetchRequest, present } from '../verifier/actors.js'
import { localEnvironment, startProcess } from './process.js'

const SHOP = 'https://shop.example/done'
const TYPE = 'ProofOfPurchase'

/** A port that nothing listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function posted(url: string, body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status, text).toBe(201)
  return JSON.parse(text)
}

it('two processes: the page is opened at one, the wallet answers at the other, and the browser returns to the first', async () => {
  const database = await createTestDatabase()
  const port = await freePort()
  const a = `http://127.0.0.1:${port}`
  const environment = { ...localEnvironment(database.url), ISSUER_BASE_URL: a, VERIFIER_BASE_URL: a }
  {
    await using first = startProcess({ ...environment, PORT: String(port) })
    await first.url()
    await using second = startProcess(environment)
    const b = await second.url()
    await posted(`${a}/schemas`, {
      name: TYPE,
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } }, additionalProperties: false },
    })
    const wallet = await newWallet()
    const signed = await posted(`${a}/credentials/sign`, {
      type: TYPE,
      credential_subject: { product: 'Espresso machine' },
      format: 'dc+sd-jwt',
      holder: wallet.did,
    })
    const asked = await posted(`${a}/authorization-requests`, {
      dcqlQuery: {
        credentials: [
          {
            id: 'purchase',
            format: 'dc+sd-jwt',
            meta: { vct_values: [`${a}/vct/${TYPE}`] },
            claims: [{ path: ['product'] }],
          },
        ],
      },
      responseMode: 'direct_post',
      redirectUri: SHOP,
      page: true,
    })
    const opened = await fetch(asked.pageUrl)
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const atB = (url: string) => url.replace(a, b)
    const payload = await fetchRequest({ request_uri: atB(asked.request_uri) })
    const held = { ...signed, format: 'dc+sd-jwt' } as const
    const replied = await answer(
      { ...payload, response_uri: atB(payload.response_uri) },
      { purchase: [await present(held, wallet, payload)] },
    )
    expect(replied.status, replied.text).toBe(200)
    const back = await fetch(replied.json.redirect_uri, { headers: { cookie }, redirect: 'manual' })
    expect(back.status).toBe(303)
    const code = new URL(replied.json.redirect_uri).searchParams.get('response_code')
    expect(back.headers.get('location')).toBe(`${SHOP}?response_code=${code}`)
    const result = `/verification-sessions/${asked.verificationSessionId}/result`
    expect((await fetch(`${b}${result}`)).status).toBe(403)
    expect((await fetch(`${b}${result}?response_code=${code}`)).status).toBe(200)
  }
  await database.drop()
})
