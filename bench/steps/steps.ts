import type { Caller } from '../measure/caller.js'
import { type IssuingSide, makeOffer } from '../rows/compared/issuing.js'
import { makeRequest, type PresentingSide, readResult } from '../rows/compared/presenting.js'
import { answerTo, type HeldCredential } from '../wallet/answer.js'
import {
  credentialOf,
  type Endpoints,
  endpointsOf,
  type Offer,
  readIssuerMetadata,
  readNonce,
  readOffer,
  readServerMetadata,
  redeem,
  requestCredential,
} from '../wallet/issuance.js'
import type { BenchWallet } from '../wallet/wallet.js'

/** One request of a flow. The flow keeps the parts of its answer that later requests need. */
export interface Step<Flow> {
  readonly name: string
  readonly take: (flow: Flow) => Promise<void>
}

interface Issuance {
  path: string
  offer: Offer
  issuerMetadata: Record<string, unknown>
  endpoints: Endpoints
  token: string
  nonce: unknown
}

/** The seven requests of an issuance "in full". */
export const issuingSteps = (
  caller: Caller,
  side: Omit<IssuingSide, 'name'>,
  wallet: BenchWallet,
): Step<Partial<Issuance>>[] => {
  // A step runs after all earlier steps of its flow.
  const whole = (flow: Partial<Issuance>) => flow as Issuance
  const issuerOf = (flow: Partial<Issuance>) => whole(flow).offer.credential_issuer
  return [
    {
      name: 'offer made',
      take: async (flow) => {
        flow.path = await makeOffer(caller, side)
      },
    },
    {
      name: 'offer',
      take: async (flow) => {
        flow.offer = await readOffer(caller, whole(flow).path)
      },
    },
    {
      name: 'issuer metadata',
      take: async (flow) => {
        flow.issuerMetadata = await readIssuerMetadata(caller, issuerOf(flow))
      },
    },
    {
      name: 'authorization server metadata',
      take: async (flow) => {
        const { issuerMetadata } = whole(flow)
        flow.endpoints = endpointsOf(issuerMetadata, await readServerMetadata(caller, issuerOf(flow), issuerMetadata))
      },
    },
    {
      name: 'token',
      take: async (flow) => {
        flow.token = (await redeem(caller, whole(flow).offer, whole(flow).endpoints)).token
      },
    },
    {
      name: 'nonce',
      take: async (flow) => {
        flow.nonce = await readNonce(caller, whole(flow).endpoints)
      },
    },
    {
      name: 'credential',
      take: async (flow) => {
        const { offer, endpoints, token, nonce } = whole(flow)
        const grant = { issuer: offer.credential_issuer, configurations: offer.credential_configuration_ids, token }
        credentialOf(await requestCredential(caller, grant, endpoints, wallet, nonce))
      },
    },
  ]
}

interface Presentation {
  path: string
  id: string
  answer: { readonly path: string; readonly response: string }
}

/** The four requests of a presentation "in full". */
export const presentingSteps = (
  caller: Caller,
  side: Omit<PresentingSide, 'name'>,
  held: HeldCredential,
): Step<Partial<Presentation>>[] => {
  const whole = (flow: Partial<Presentation>) => flow as Presentation
  return [
    {
      name: 'request made',
      take: async (flow) => {
        Object.assign(flow, await makeRequest(caller, side))
      },
    },
    {
      name: 'request object',
      take: async (flow) => {
        flow.answer = answerTo(await caller.text(whole(flow).path), held)
      },
    },
    {
      name: 'answer',
      take: async (flow) => {
        const { path, response } = whole(flow).answer
        await caller.json(path, { form: { response } })
      },
    },
    { name: 'claims read', take: (flow) => readResult(caller, side, whole(flow).id) },
  ]
}
