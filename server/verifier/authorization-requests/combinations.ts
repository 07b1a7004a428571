import type { z } from 'zod'
import type { ClientIdPrefix } from '../../protocol/openid4vp/client-identifier.js'
import { isOverBrowser, type ResponseMode } from '../../protocol/openid4vp/request-object.js'

/** Members of a request that require or exclude each other. */
interface Members {
  readonly responseMode?: ResponseMode | undefined
  readonly expectedOrigins?: readonly string[] | undefined
  readonly signed?: boolean | undefined
  readonly clientIdPrefix?: ClientIdPrefix | readonly ClientIdPrefix[] | undefined
  readonly redirectUri?: string | undefined
  readonly requireResponseCode?: boolean | undefined
  readonly walletUrl?: string | undefined
}

type Fault = readonly [member: keyof Members, message: string]

/** OpenID4VP 1.0 Appendix A.2: required and forbidden members of a request over the Digital Credentials API. */
function* browserFaults(members: Members): Generator<Fault> {
  const mode = `where responseMode is ${members.responseMode}`
  if (members.expectedOrigins === undefined) yield ['expectedOrigins', `must be given ${mode}`]
  for (const member of ['redirectUri', 'walletUrl'] as const) {
    if (members[member] !== undefined) yield [member, `must be left out ${mode}`]
  }
  if (members.clientIdPrefix === undefined) return
  if (members.signed === false) yield ['clientIdPrefix', 'must be left out where signed is false']
  // §5.9.3: a client with this prefix signs nothing, and its identifier is an address that receives no answer over this API.
  if ([members.clientIdPrefix].flat().includes('redirect_uri')) {
    yield ['clientIdPrefix', `must not be redirect_uri ${mode}`]
  }
}

function* otherFaults(members: Members): Generator<Fault> {
  const mode = 'where responseMode is not dc_api or dc_api.jwt'
  for (const member of ['expectedOrigins', 'signed'] as const) {
    if (members[member] !== undefined) yield [member, `must be left out ${mode}`]
  }
  if (Array.isArray(members.clientIdPrefix)) yield ['clientIdPrefix', `must be a single prefix ${mode}`]
}

function* faultsOf(members: Members): Generator<Fault> {
  yield* isOverBrowser(members.responseMode) ? browserFaults(members) : otherFaults(members)
  if (members.requireResponseCode === true && members.redirectUri === undefined) {
    yield ['requireResponseCode', 'must be false or left out where redirectUri is left out']
  }
}

/** Refuses members that cannot be combined. The message names both members. */
export function checkCombinations({ value, issues }: z.core.ParsePayload<Members>): void {
  for (const [member, message] of faultsOf(value)) {
    issues.push({ code: 'custom', input: value, path: [member], message })
  }
}
