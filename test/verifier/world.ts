import { afterAll, beforeAll, expect } from 'vitest'
import { type ServiceOptions, startService, type TestService } from '../support/service.js'
import {
  type Asked,
  answer,
  ask,
  dcql,
  type Format,
  fetchRequest,
  makeWorld,
  type RequestPayload,
  sessionOf,
} from './actors.js'

export const FORMATS: Format[] = ['dc+sd-jwt', 'jwt_vc_json']

/** The beginning of the error sentence if a presentation is refused. */
export const FOR_PURCHASE = 'Presentation for purchase:'

type World = Awaited<ReturnType<typeof makeWorld>>

/** A service with a type, a wallet and its credentials, for all tests of a file. */
export function useWorld(options: ServiceOptions = {}) {
  let service: TestService
  let world: World
  beforeAll(async () => {
    service = await startService(options)
    world = await makeWorld(service)
  })
  afterAll(() => service.close())

  return {
    get service() {
      return service
    },
    get wallet() {
      return world.wallet
    },
    get held() {
      return world.held
    },

    /**
     * Makes and fetches a request for one format. It uses direct_post, so that the test controls every byte of the
     * answer.
     */
    async asked(format: Format, body: Record<string, unknown> = {}) {
      const asked = await ask(service, { dcqlQuery: dcql(service, format), responseMode: 'direct_post', ...body })
      return { asked, payload: await fetchRequest(asked) }
    },

    /** Reads the result of a session, or its error. */
    async resultOf({ verificationSessionId }: Asked) {
      const path = `/verification-sessions/${verificationSessionId}/result`
      return (await service.request('GET', path, { authorization: await service.bearer('verifier') })).json
    },

    /** Checks the refusal of a presentation: a 400 with a sentence, and the session in Error with the same sentence. */
    async expectRefused(asked: Asked, payload: RequestPayload, vpToken: Record<string, unknown>, sentence: string) {
      const reply = await answer(payload, vpToken)
      expect([reply.status, reply.json]).toEqual([400, { error: 'invalid_request', error_description: sentence }])
      expect(await sessionOf(service, asked)).toMatchObject({ state: 'Error', errorMessage: sentence })
    },

    /** Checks a refusal that does not concern the wallet of the session: the session still waits. */
    async expectStillOpen(
      asked: Asked,
      reply: { status: number; json: { error_description?: string } },
      sentence: string,
    ) {
      expect([reply.status, reply.json.error_description]).toEqual([400, sentence])
      expect(await sessionOf(service, asked)).toMatchObject({ state: 'RequestUriRetrieved' })
    },
  }
}
