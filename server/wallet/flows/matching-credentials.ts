import type { z } from 'zod'
import { isObject } from '../../protocol/json/json-object.js'
import { claimsOf, type HeldCredential } from '../credentials/held.js'
import type { Match } from '../openid4vp/match-query.js'
import type { startFlow } from './flows.contract.js'

type Presentation = Extract<z.input<typeof startFlow.output>, { flowType: 'presentation' }>
type MatchingCredential = Presentation['data']['matchingCredentials'][number]

/** Claims of an SD-JWT VC that say nothing about its subject. */
const TECHNICAL: ReadonlySet<string> = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'vct',
  'vct#integrity',
  'cnf',
  'status',
  'jti',
])

function subjectOf(held: HeldCredential): Record<string, unknown> {
  const claims = claimsOf(held.format, held.compact)
  if (held.format === 'jwt_vc_json') {
    const [subject] = [claims.credentialSubject].flat()
    return isObject(subject) ? { ...subject } : {}
  }
  const { sub, ...rest } = claims
  const about = Object.entries(rest).filter(([name]) => !TECHNICAL.has(name))
  return { ...(typeof sub === 'string' ? { id: sub } : {}), ...Object.fromEntries(about) }
}

function shown({ held }: Match): MatchingCredential {
  const { types, issuer, expiresAt } = held.content
  return {
    id: held.id,
    format: held.format,
    type: [...types],
    issuer,
    credentialSubject: subjectOf(held),
    ...(expiresAt === undefined ? {} : { expirationDate: new Date(expiresAt * 1000).toISOString() }),
  }
}

/** The credentials to choose from, each once, whatever it matches. */
export function matchingCredentials(matches: readonly Match[]): MatchingCredential[] {
  const byId = new Map(matches.map((match) => [match.held.id, match]))
  return [...byId.values()].map(shown)
}
