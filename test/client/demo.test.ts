import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runDemo } from '../../scripts/demo/run.js'
import { programOf } from '../../scripts/launch/run-program.js'
import { CLIENT_SECRET, startService } from '../support/service.js'
import { startFront } from './front.js'

const root = resolve(import.meta.dirname, '../..')

async function play(options: { url: string; accessToken?: string; clientSecret?: string }) {
  const lines: string[] = []
  const code = await runDemo({ ...options, print: (line) => lines.push(line) })
  return { code, text: lines.join('\n') }
}

/** Runs the command as a process. */
function command(env: Record<string, string>): Promise<{ code: number; stdout: string }> {
  const { CREDENCE_URL: _url, ACCESS_TOKEN: _token, CLIENT_SECRET: _secret, ...rest } = process.env
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [programOf('tsx'), 'scripts/demo.ts'],
      { cwd: root, env: { ...rest, ...env } },
      (_error, stdout) => done({ code: child.exitCode ?? -1, stdout }),
    )
  })
}

describe('npm run demo', () => {
  it('runs the whole demonstration without credentials if authentication is disabled', async () => {
    await using service = await startService({ env: { AUTH_DISABLED: 'true' } })

    const { code, stdout } = await command({ CREDENCE_URL: service.url })

    expect(stdout).toContain('✓ Every step saw what it should.')
    expect(stdout).toContain(
      `it says: openid-credential-offer://?credential_offer_uri=${encodeURIComponent(service.url)}`,
    )
    for (const seen of [
      'answer: {"isValid":false,"error":"Credential has been revoked."}',
      'the wallet says: Unable to retrieve access token',
      'state of the offer: Accepted',
      'the session says: RequestUriRetrieved',
      'the session says: ResponseVerified',
      'it shows: productName, purchaseDate',
      'the session says: Error: Presentation for item-0-sd-jwt: Credential has been revoked.',
      'credentials: jwt_vc_json (valid), dc+sd-jwt (valid)',
      'answer: confirmed: Credential presented.',
    ]) {
      expect(stdout).toContain(seen)
    }
    expect(code).toBe(0)
  })

  it('runs it with a token and a client secret, and names them if they are missing', async () => {
    await using service = await startService()
    const accessToken = await service.identityProvider.token('admin', { roles: ['admin'] })

    const without = await play({ url: service.url })
    const secretOnly = await play({ url: service.url, clientSecret: CLIENT_SECRET })
    const withBoth = await play({ url: service.url, accessToken, clientSecret: CLIENT_SECRET })

    expect(without.text).toContain('✗ schemas.versions was refused: 401 Unauthorized Set ACCESS_TOKEN')
    expect([without.code, secretOnly.code, withBoth.code]).toEqual([1, 1, 0])
  })

  it('waits out the rate limit', async () => {
    await using service = await startService({ env: { AUTH_DISABLED: 'true' } })
    await using front = await startFront(service.url)
    front.answerNext((response) => response.writeHead(429, { 'retry-after': '1' }).end())

    const { code, text } = await play({ url: front.url })

    expect(text).toContain('the rate limit is reached: the demo waits 1 s, then goes on by itself')
    expect(code).toBe(0)
  })

  it('ends with 1 if the service accepts a tampered or revoked credential', async () => {
    await using service = await startService({ env: { AUTH_DISABLED: 'true' } })
    await using gullible = await startFront(service.url, (body) => body.replace('"isValid":false', '"isValid":true'))

    const { code, text } = await play({ url: gullible.url })

    expect(text).toContain('✗ its validity should be false, but is true')
    expect(code).toBe(1)
  })

  it.each([
    ['credential offers', 'openid4vci%2Foffers', 'openid4vci%2Fnowhere'],
    ['authorization requests', 'openid4vp%2Frequests', 'openid4vp%2Fnowhere'],
  ])('ends with 1 if the routes of %s do not exist', async (_what, path, nowhere) => {
    await using service = await startService({ env: { AUTH_DISABLED: 'true' } })
    await using front = await startFront(service.url, (body) => body.replaceAll(path, nowhere))

    const { code, text } = await play({ url: front.url })

    expect(text).toContain('✗ ')
    expect(code).toBe(1)
  })

  it('ends with 1 if the service does not answer', async () => {
    const front = await startFront()
    await front[Symbol.asyncDispose]()

    const { code, stdout } = await command({ CREDENCE_URL: front.url })

    expect(stdout).toContain('✗ The service cannot be reached')
    expect(code).toBe(1)
  })
})
