import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platformOfStrangers } from '../../server/wiring/strangers.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

let services: readonly (readonly [string, TestService])[] = []

beforeAll(async () => {
  services = [
    ['with authentication', await startService()],
    ['with AUTH_DISABLED', await startService({ env: { AUTH_DISABLED: 'true' } })],
  ]
})
afterAll(async () => {
  for (const [, service] of services) await service.close()
})

describe('attack: a caller of the public listener', () => {
  it('is a stranger with any content of a request, also with AUTH_DISABLED', async () => {
    for (const [name, service] of services) {
      const { access, tokens, config } = platformOfStrangers(service.platform)
      const sent = {
        authorization: await service.bearer('alice', { roles: ['admin'] }),
        'x-client-secret': CLIENT_SECRET,
      }
      await expect(access.user(sent, true), name).rejects.toMatchObject({ status: 401 })
      await expect(access.client(sent, true), name).rejects.toMatchObject({ status: 401 })
      await expect(tokens.user(sent.authorization), name).rejects.toMatchObject({ status: 401 })
      expect(await access.optional(sent, true), name).toEqual({ caller: undefined, client: false })
      expect([config.authDisabled, config.console], name).toEqual([false, undefined])
    }
  })

  it('gets contexts with the access of a stranger', async () => {
    for (const [name, service] of services) {
      const { context } = service.service.publicApp()
      const authorization = await service.bearer('alice', { roles: ['admin'] })
      const request = { headers: { authorization, 'x-client-secret': CLIENT_SECRET }, identified: () => {} }
      const access = context.accessOf(request as unknown as Parameters<typeof context.accessOf>[0])
      await expect(access.user(true), name).rejects.toMatchObject({ status: 401 })
      expect(await access.optional(true), name).toEqual({ caller: undefined, client: false })
    }
  })
})
