import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { z } from 'zod'
import type { Deps } from '../../deps.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'

/** What a flow waits to do: stored under the vault's protection, and written by this service alone. */
const zContent = z.discriminatedUnion('kind', [
  /** An offering of this installation. */
  z.object({ kind: z.literal('offering'), offeringId: z.string() }),
  /** Any other offer, as it was read when the flow started. */
  z.object({ kind: z.literal('offer'), offer: z.custom<CredentialOfferObject>(isObject) }),
  /** A request whose sender was checked when the flow started. */
  z.object({ kind: z.literal('request'), request: z.custom<PresentationRequest>(isObject) }),
])

export type FlowContent = z.output<typeof zContent>

export const protectContent = (deps: Pick<Deps, 'vault'>, id: string, content: FlowContent): Promise<string> =>
  deps.vault.protect({ column: 'flows.content', id }, JSON.stringify(content))

export const revealContent = async (
  deps: Pick<Deps, 'vault'>,
  { id, content }: { readonly id: string; readonly content: string },
): Promise<FlowContent> => zContent.parse(JSON.parse(await deps.vault.reveal({ column: 'flows.content', id }, content)))
