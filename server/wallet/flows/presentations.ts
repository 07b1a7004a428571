import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Formats } from '../../formats/registry.js'
import { dateTimeOf } from '../../formats/seconds.js'
import type { Outbound, OutboundFetch } from '../../outbound/guard.js'
import type { Work } from '../../protocol/work.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import type { RequestInvitation } from '../invitations/invitation.js'
import type { Match } from '../openid4vp/match-query.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'
import { authorizing } from '../openid4vp/transaction-data.js'
import type { VerifierExchanges } from '../openid4vp/verifier-exchanges.js'
import type { Presenting } from '../presentations/presenting.js'
import { UNREGISTERED } from '../registration/certificates.js'
import type { confirmFlow, declineFlow, StartedFlow } from './flows.contract.js'
import { type FlowHolder, hostedOnly } from './holder.js'
import type { FlowRecords } from './records.js'

type Confirmed = z.input<typeof confirmFlow.output>
type Declined = z.input<typeof declineFlow.output>
type MatchingCredential = Extract<StartedFlow, { flowType: 'presentation' }>['data']['matchingCredentials'][number]

/**
 * A verifier's own description, for people to read. No decision depends on this description, so members that are not
 * text are left out.
 */
function described(clientMetadata: Readonly<Record<string, unknown>> = {}): { name?: string; logoUri?: string } {
  const { client_name: name, logo_uri: logoUri } = clientMetadata
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof logoUri === 'string' ? { logoUri } : {}),
  }
}

/** Dependencies of {@link createFlowPresentations}. */
export interface FlowPresentationsPorts {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly verifiers: Pick<VerifierExchanges, 'resolve' | 'tell'>
  readonly presenting: Pick<Presenting, 'answer' | 'choose' | 'match'>
  readonly formats: Pick<Formats, 'named'>
  readonly add: FlowRecords['add']
}

export type FlowPresentations = ReturnType<typeof createFlowPresentations>

/** Flows in which a person answers a request. */
export function createFlowPresentations({ outbound, verifiers, presenting, formats, add }: FlowPresentationsPorts) {
  async function shown({ held }: Match): Promise<MatchingCredential> {
    const { types, issuer, expiresAt } = held.content
    const { holding } = formats.named(held.format)
    const expirationDate = dateTimeOf(expiresAt)
    return {
      id: held.id,
      format: held.format,
      type: [...types],
      issuer,
      credentialSubject: holding.subjectOf(await holding.claimsOf(held.compact)),
      ...(expirationDate === undefined ? {} : { expirationDate }),
    }
  }

  return {
    /** Starts a flow for a request. Nothing is presented yet. @param sub the `sub` of the user who starts the flow */
    async start(
      fetch: OutboundFetch,
      sub: string,
      holder: FlowHolder,
      invitation: RequestInvitation,
      work: Work,
    ): Promise<StartedFlow> {
      const { holderId } = hostedOnly(holder, 'present credentials')
      const request = await verifiers.resolve(fetch, invitation, { personConfirms: true, work })
      const { matches } = await presenting.match(fetch, holderId, request, work)
      const processId = await add('presentation', sub, holder, { kind: 'request', request })
      // The credentials to choose from. A credential appears once, even if it matches several queries.
      const byId = new Map(matches.map((match) => [match.held.id, match]))
      return {
        flowType: 'presentation',
        data: {
          processId,
          status: 'initialized',
          verifier: { id: request.clientId, ...described(request.payload.client_metadata) },
          registration: request.registration ?? UNREGISTERED,
          query: { ...request.query },
          ...(request.transactionData.length === 0
            ? {}
            : { transactionData: request.transactionData.map(({ entry }) => ({ ...entry })) }),
          matchingCredentials: await Promise.all([...byId.values()].map(shown)),
        },
      }
    },

    /**
     * Checks a confirmation and returns the function that presents the chosen credential.
     *
     * @param id the id of the chosen credential; the other members of the choice are not used
     * @throws 400 if no matching credential has that id, or if the credential cannot authorize the transaction.
     */
    async prepare(
      actor: string,
      holder: FlowHolder,
      request: PresentationRequest,
      id: unknown,
      work: Work,
    ): Promise<() => Promise<Confirmed>> {
      const { holderId } = hostedOnly(holder, 'present credentials')
      const fetch = boundedFetch(outbound.fetch)
      const matching = await presenting.match(fetch, holderId, request, work)
      if (typeof id !== 'string' || !matching.matches.some(({ held }) => held.id === id)) {
        throw errors.badRequest('selectedCredential.id must be the id of a matching credential')
      }
      const usable = (await presenting.choose(matching, id, work)) ?? []
      // Flows that an earlier version started lack this member.
      const chosen = authorizing(request.transactionData ?? [], usable, id)
      return async () => {
        const redirectUri = await presenting.answer(fetch, { holderId, actor }, request, chosen)
        return {
          status: 'confirmed',
          message: 'Credential presented.',
          ...(redirectUri === undefined ? {} : { data: { redirectUri } }),
        }
      }
    },

    /** Notifies the verifier that the person declined. */
    async decline({ payload }: PresentationRequest): Promise<Declined> {
      const redirectUri = await verifiers.tell(boundedFetch(outbound.fetch), payload, 'access_denied')
      return {
        status: 'declined',
        message: 'Presentation declined.',
        ...(redirectUri === undefined ? {} : { data: { redirectUri } }),
      }
    },
  }
}
