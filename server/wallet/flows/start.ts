import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { OfferingIssuance } from '../../issuer/issuance/store.js'
import { claimRefusal } from '../../issuer/offerings/claim.js'
import { credentialOfferUri } from '../../issuer/offerings/offering-json.js'
import type { Work } from '../../protocol/work.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { type OfferInvitation, type RequestInvitation, resolveInvitation } from '../invitations/invitation.js'
import { describeOffer, resolveOffer } from '../openid4vci/take-offer.js'
import { resolveRequest } from '../openid4vp/resolve-request.js'
import { matchRequest } from '../presentations/presenting.js'
import { type FlowContent, protectContent } from './content.js'
import type { StartedFlow as Started } from './flows.contract.js'
import { type FlowHolder, flowHolder, hostedOnly } from './holder.js'
import { matchingCredentials } from './matching-credentials.js'
import { ownQrContent } from './qr-content.js'
import type { FlowType } from './store.js'

/** As long as a pre-authorized code of this service is good; a request has an end of its own. */
const FLOW_MS = 10 * 60 * 1000

interface Start {
  readonly deps: Deps
  readonly caller: Caller
  readonly fetch: typeof globalThis.fetch
  readonly holder: FlowHolder
  readonly work: Work
}

async function store({ deps, caller, holder }: Start, type: FlowType, content: FlowContent): Promise<string> {
  const id = deps.newId()
  const createdAt = deps.clock()
  await deps.stores.flows.insert({
    id,
    type,
    createdBy: caller.sub,
    did: holder.did,
    holderId: holder.hosted?.holderId ?? null,
    content: await protectContent(deps, id, content),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + FLOW_MS),
  })
  return id
}

/** An offering of ours, by the address that serves its offer; no request is needed to know what it offers. */
async function ownOffering({ deps, caller }: Start, offer: OfferInvitation): Promise<OfferingIssuance | undefined> {
  const prefix = credentialOfferUri(deps.config.issuerBaseUrl, '')
  if (!('uri' in offer) || !offer.uri.startsWith(prefix)) return undefined
  return deps.stores.issuance.offeringContext(offer.uri.slice(prefix.length), caller.sub)
}

/** The same for an offer by value, whose pre-authorized code names the offering to us alone. */
async function ownOfferingOf({ deps, caller }: Start, offer: CredentialOfferObject) {
  if (offer.credential_issuer !== deps.config.issuerBaseUrl) return undefined
  const code = offer.grants?.['urn:ietf:params:oauth:grant-type:pre-authorized_code']?.['pre-authorized_code']
  const opened = code === undefined ? undefined : deps.seals.openCode(code)
  return opened === undefined ? undefined : deps.stores.issuance.offeringContext(opened.offeringId, caller.sub)
}

async function startOffering(start: Start, offering: OfferingIssuance): Promise<Started> {
  const { offeringId, name, credentialSubject } = offering
  const refusal = claimRefusal(offering, [start.holder.did], start.deps.clock())
  // The subject of a recipient-bound offering is shown only to its recipient.
  const isRecipient = offering.recipient === null || offering.recipient === start.holder.did
  const processId = await store(start, 'claim', { kind: 'offering', offeringId })
  return {
    flowType: 'claim',
    data: {
      processId,
      status: 'initialized',
      offering: { credential_type: name, credential_subject: isRecipient ? credentialSubject : {} },
      ...(refusal === undefined ? {} : { errorMessage: refusal.message }),
    },
  }
}

async function startClaim(start: Start, invitation: OfferInvitation): Promise<Started> {
  const { deps, fetch } = start
  const known = await ownOffering(start, invitation)
  if (known !== undefined) return startOffering(start, known)
  const offer = await resolveOffer(deps, fetch, invitation)
  const own = await ownOfferingOf(start, offer)
  if (own !== undefined) return startOffering(start, own)
  hostedOnly(start.holder, 'take the offer of another issuer')
  const { credentialType } = await describeOffer(deps, fetch, offer)
  const processId = await store(start, 'claim', { kind: 'offer', offer })
  const offering = { credential_type: credentialType, credential_subject: {} }
  return { flowType: 'claim', data: { processId, status: 'initialized', offering } }
}

/** What a verifier says of itself for people to read. Nothing depends on it, so what is no text is left out. */
function described(clientMetadata: Readonly<Record<string, unknown>> = {}): { name?: string; logoUri?: string } {
  const { client_name: name, logo_uri: logoUri } = clientMetadata
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof logoUri === 'string' ? { logoUri } : {}),
  }
}

async function startPresentation(start: Start, invitation: RequestInvitation): Promise<Started> {
  const { deps, fetch, work } = start
  const { holderId } = hostedOnly(start.holder, 'present credentials')
  const request = await resolveRequest(deps, fetch, invitation, { personConfirms: true, work })
  const { matches } = await matchRequest(deps, fetch, holderId, request, work)
  const processId = await store(start, 'presentation', { kind: 'request', request })
  return {
    flowType: 'presentation',
    data: {
      processId,
      status: 'initialized',
      verifier: { id: request.clientId, ...described(request.payload.client_metadata) },
      query: { ...request.query },
      ...(request.transactionData.length === 0
        ? {}
        : { transactionData: request.transactionData.map(({ entry }) => ({ ...entry })) }),
      matchingCredentials: await matchingCredentials(deps.formats, matches),
    },
  }
}

/** What a flow is started with. */
export interface FlowStart {
  readonly qrContent: string
  readonly did: string
}

/** Analyses what a QR code says and starts the flow that it is for. */
export async function start(deps: Deps, caller: Caller, work: Work, { qrContent, did }: FlowStart): Promise<Started> {
  const holder = await flowHolder(deps, caller, did)
  const fetch = boundedFetch(deps.outbound.fetch)
  const content = (await ownQrContent(deps, qrContent)) ?? qrContent
  const invitation = await resolveInvitation(deps, fetch, content)
  const context: Start = { deps, caller, fetch, holder, work }
  return invitation.kind === 'offer' ? startClaim(context, invitation) : startPresentation(context, invitation)
}
