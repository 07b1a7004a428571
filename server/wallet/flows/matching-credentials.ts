import type { Formats } from '../../formats/registry.js'
import { dateTimeOf } from '../../formats/seconds.js'
import type { Match } from '../openid4vp/match-query.js'
import type { StartedFlow } from './flows.contract.js'

type Presentation = Extract<StartedFlow, { flowType: 'presentation' }>
type MatchingCredential = Presentation['data']['matchingCredentials'][number]

async function shown(formats: Formats, { held }: Match): Promise<MatchingCredential> {
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

/** The credentials to choose from, each once, whatever it matches. */
export function matchingCredentials(formats: Formats, matches: readonly Match[]): Promise<MatchingCredential[]> {
  const byId = new Map(matches.map((match) => [match.held.id, match]))
  return Promise.all([...byId.values()].map((match) => shown(formats, match)))
}
