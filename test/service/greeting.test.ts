import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE } from '../../server/service/release.js'
import { linkOn, writtenOn } from '../people-pages/actors.js'
import { startService, type TestService } from '../support/service.js'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }

let service: TestService
let open: TestService

beforeAll(async () => {
  service = await startService()
  open = await startService({ env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '' } })
})
afterAll(() => Promise.all([service.close(), open.close()]))

describe('GET /', () => {
  it.each([undefined, '*/*', 'application/json', 'text/plain', 'text/html;q=0', 'garbage,,;q'])(
    'is one sentence of text for other clients: %s',
    async (accept) => {
      const answer = await service.request('GET', '/', accept === undefined ? {} : { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('vary')).toMatch(/accept/i)
      expect(answer.text).toBe(
        'Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.',
      )
    },
  )

  it('is a page for a browser: version, health, reference and metadata', async () => {
    const page = await service.request('GET', '/', { headers: BROWSER })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('vary')).toMatch(/accept/i)
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(writtenOn(page)).toContain(`Running Version ${SERVICE.version}`)
    for (const path of ['/api-docs', '/.well-known/openid-credential-issuer', '/health/readiness']) {
      expect(page.text).toContain(`href="${service.url}${path}"`)
      expect((await service.request('GET', path)).status, path).toBeLessThan(400)
    }
    expect(page.text).not.toContain('/console/')
    expect(linkOn(page, 'Console')).toBeUndefined()
  })

  it('leads to the console if the console is open', async () => {
    const page = await open.request('GET', '/', { headers: BROWSER })
    expect(page.text).toContain(`href="${open.url}/console/"`)
  })

  it('says that requests cannot be served, without the reason', async () => {
    const away = await startService({ checks: { vault: () => Promise.reject(new Error('s3cret of the vault')) } })
    const page = await away.request('GET', '/', { headers: BROWSER })
    await away.close()
    expect(page.status).toBe(200)
    expect(writtenOn(page)).toContain('Requests cannot be served at the moment')
    expect(page.text).not.toMatch(/s3cret|vault/)
  })
})
