import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { texts } from '../../protocol/jwt-vc/vc.js'
import { REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import type { AnsweringCredential } from './verify-vp-token.js'

/** What a verified presentation says: the claims of one credential, and whose word they are. */
export interface VerifiedClaims {
  /** The credential query that it answers, and the item of the VP query that this one was made of. */
  readonly credentialQueryId: string
  readonly queryItem?: number
  readonly format: 'dc+sd-jwt' | 'jwt_vc_json'
  readonly issuer: string
  /** Types of a JWT VC, the `vct` of an SD-JWT VC. */
  readonly type: string[]
  readonly subject?: string
  /** The claims about the subject that were disclosed; those of several subjects in an array. */
  readonly claims: Record<string, unknown> | Record<string, unknown>[]
}

export function verifiedClaims(credential: AnsweringCredential): VerifiedClaims {
  const { queryId, item, format, issuer } = credential
  const about = format === 'dc+sd-jwt' ? ofSdJwt(credential.claims) : ofJwt(credential.payload)
  return { credentialQueryId: queryId, ...(item === undefined ? {} : { queryItem: item }), format, issuer, ...about }
}

type About = Pick<VerifiedClaims, 'type' | 'subject' | 'claims'>

function ofSdJwt({ vct, sub, ...others }: JsonObject): About {
  const claims = Object.fromEntries(Object.entries(others).filter(([name]) => !REGISTERED_CLAIMS.has(name)))
  return { type: [...texts(vct)], ...(typeof sub === 'string' ? { subject: sub } : {}), claims }
}

function ofJwt({ vc, sub }: JsonObject): About {
  const { type, credentialSubject } = isObject(vc) ? vc : {}
  const subjects = [credentialSubject].flat().filter(isObject)
  const [only, ...others] = subjects
  const id = sub ?? (others.length === 0 ? only?.id : undefined)
  return {
    type: [...texts(type)],
    ...(typeof id === 'string' ? { subject: id } : {}),
    claims: others.length === 0 ? { ...only } : subjects.map((subject) => ({ ...subject })),
  }
}
