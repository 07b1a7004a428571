import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { compileVpQuery } from '../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../protocol/work.js'
import type { FixRequest } from '../openid4vp/fix-request.js'
import type { SessionVault } from '../sessions/secrets.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { compiledNewQuery, orBadRequest } from '../vp-queries/compiled.js'
import type { createAuthorizationRequest, zCreatedRequest } from './authorization-requests.contract.js'
import {
  assertOrigins,
  assertRedirectUri,
  assertTrusted,
  createMakeRequest,
  type MakeRequestPorts,
  type NewRequest,
} from './create.js'
import { createHandOut, type HandOutPorts } from './hand-out.js'
import { createNewRequestPage, type NewRequestPagePorts } from './page.js'
import type { AuthorizationRequestStore } from './store.js'

type Created = z.input<typeof zCreatedRequest>

/** Dependencies of {@link createAuthorizationRequests}. */
export interface AuthorizationRequestsPorts {
  readonly store: Pick<AuthorizationRequestStore, 'context'>
  readonly config: MakeRequestPorts['config'] & NewRequestPagePorts['config'] & Pick<Config, 'allowInsecureHttp'>
  readonly formats: Pick<Formats, 'all' | 'named'>
  readonly clock: () => Date
  readonly newId: () => string
  readonly openid4vp: HandOutPorts['openid4vp'] & { readonly fixRequest: FixRequest }
  readonly sessionVault: Pick<SessionVault, 'newSecrets' | 'protect'>
  readonly addSession: VerificationSessions['add']
}

export type AuthorizationRequests = ReturnType<typeof createAuthorizationRequests>

/** Requests for presentations, each with its own verification session. */
export function createAuthorizationRequests({
  store,
  config,
  formats,
  clock,
  newId,
  openid4vp,
  sessionVault,
  addSession,
}: AuthorizationRequestsPorts) {
  const newPage = createNewRequestPage({ formats, config, clock, newId })
  const handOut = createHandOut({ openid4vp, config })
  const makeRequest = createMakeRequest({
    config,
    formats,
    clock,
    newId,
    sessionVault,
    addSession,
    handOut,
    fixRequest: openid4vp.fixRequest,
    newPage,
  })

  return {
    newPage,

    /**
     * Makes a request for presentations.
     *
     * @param sub the `sub` of the caller
     * @param work the budget for compiling the query
     * @throws 400 for a request that this installation cannot make; 404 for a verifier that the caller does not own; 409 if the
     *   certificate of the verifier has expired
     */
    async create(
      input: z.output<ReturnType<typeof createAuthorizationRequest>['input']>,
      sub: string,
      work: Work,
    ): Promise<Created> {
      const { dcqlQuery, query, redirectUri, verifierId } = input
      assertRedirectUri(config, 'redirectUri', redirectUri)
      assertOrigins(config, input.expectedOrigins)
      assertTrusted(config, input.trustedIssuers)
      const items = query ?? []
      const compiled = orBadRequest(() => compiledNewQuery(items, work))
      const context = await store.context(verifierId === undefined ? undefined : { verifierId, sub }, null)
      if (context === undefined) throw errors.verifierNotFound()
      const asked = dcqlQuery === undefined ? { items, compiled } : { dcqlQuery }
      return makeRequest(context, work, { ...input, asked, createdBy: sub })
    },

    /**
     * Makes a request of the default verifier from a stored VP query.
     *
     * @param createdBy the `sub` of the caller; null for the client secret
     * @throws 400 for an invalid redirect URI; 404 for an unknown query
     */
    async createByVpQuery(
      vpQueryId: string,
      {
        redirectUri,
        ...request
      }: Pick<
        NewRequest,
        'validity' | 'keepEvidence' | 'evidenceRetention' | 'createdBy' | 'purpose' | 'reference' | 'label'
      > & {
        readonly redirectUri: string
      },
      work: Work,
    ): Promise<Created> {
      assertRedirectUri(config, 'redirect_uri', redirectUri)
      const context = await store.context(undefined, vpQueryId)
      if (context === undefined) throw errors.verifierNotFound()
      if (context.query === null) throw errors.vpQueryNotFound()
      const { query, purpose } = context
      return makeRequest(context, work, {
        asked: { items: query, compiled: orBadRequest(() => compileVpQuery(query, work)) },
        redirectUri,
        // False in every profile, because the callers that read these results never receive the code.
        requireResponseCode: false,
        ...request,
        purpose: request.purpose ?? purpose ?? undefined,
      })
    },
  }
}
