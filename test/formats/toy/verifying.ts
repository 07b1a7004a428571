import { z } from 'zod'
import {
  notBound,
  type PresentationContext,
  type VerifiedCredential,
  type Verifying,
} from '../../../server/formats/verifying.js'
import {
  CredentialError,
  checkTimes,
  decodeJwt,
  issuerKeyOf,
  type VerifyOptions,
  verifyJwtSignature,
} from '../../../server/protocol/credential/verification.js'
import { type Jwk, type Signer, signCompact } from '../../../server/protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../../server/protocol/json/json-object.js'
import type { CredentialView } from '../../../server/protocol/openid4vp/query/credential-view.js'
import { selectByPath } from '../../../server/protocol/openid4vp/query/jsonpath/evaluate.js'
import { isIssuerPath, memberOfVc } from '../../../server/protocol/openid4vp/query/vc-paths.js'
import { looksLikeToy, readToy, rootOfToy, splitToy, type ToyPayload, withProof } from './compact.js'

const LEEWAY = { past: 60, exp: 0 }

async function verifyToy(compact: string, options: VerifyOptions): Promise<VerifiedCredential & { toy: ToyPayload }> {
  const { jwt: credential, proof } = splitToy(compact)
  const jwt = decodeJwt(credential, 'Credential')
  const toy = readToy(jwt.payload)
  checkTimes(jwt.payload, 'Credential', options.now, LEEWAY)
  const issuerKey = await issuerKeyOf(jwt, options.resolveIssuerKey, 'Credential')
  verifyJwtSignature(jwt, issuerKey.jwk, 'Credential')
  return {
    toy,
    issuer: issuerKey.issuer,
    issuerKey,
    status: [toy.status],
    types: [toy.kind],
    cnf: toy.cnf,
    holder: undefined,
    issuedAt: Number(jwt.payload.iat),
    expiresAt: undefined,
    holderProof: proof === undefined ? undefined : 'toy proof',
    shown: { payload: jwt.payload },
  }
}

export function viewOf(toy: ToyPayload): CredentialView {
  return {
    format: 'toy',
    root: rootOfToy(toy),
    mismatchWith: ({ toy_value: kind }) =>
      kind === toy.kind ? undefined : { check: 'toy_value', path: 'kind', verdict: 'is not of the toy_value.' },
    select: (path, work) => {
      const { member, rest } = memberOfVc(path)
      if (member === 'credentialSubject') return selectByPath({ segments: rest }, toy.claims, work)
      if (member === 'type') return selectByPath({ segments: rest }, ['VerifiableCredential', toy.kind], work)
      return isIssuerPath(path) ? [toy.iss] : []
    },
  }
}

export const proofOf = (signer: Signer, compact: string, nonce: string, audience: string): Promise<string> =>
  signCompact(signer, { typ: 'toy-proof+jwt' }, { nonce, aud: audience }).then((proof) => withProof(compact, proof))

function checkProof({ cnf }: JsonObject, proof: string | undefined, context: PresentationContext): boolean {
  if (proof === undefined && context.proofRequired !== 'always') return false
  if (!isObject(cnf)) throw notBound()
  if (proof === undefined) throw new CredentialError('Presentation has no toy proof.')
  const jwt = decodeJwt(proof, 'Toy proof')
  if (jwt.payload.nonce !== context.nonce) throw new CredentialError('Toy proof nonce is not that of the request.')
  if (jwt.payload.aud !== context.audience) throw new CredentialError('Toy proof aud is not this verifier.')
  verifyJwtSignature(jwt, cnf.jwk as Jwk, 'Toy proof')
  return true
}

export const verifying: Verifying = {
  certifiedOnly: false,
  answer: { format: 'toy', members: { payload: z.record(z.string(), z.unknown()) } },
  recognises: looksLikeToy,
  verify: verifyToy,
  verifyPresentation: async (presentation, context) => {
    const { toy, issuer, issuerKey, status } = await verifyToy(presentation, context.options)
    const holderBound = checkProof({ cnf: toy.cnf }, splitToy(presentation).proof, context)
    await context.checkStatus({ status, issuerKey })
    const content = { type: [toy.kind], claims: { ...toy.claims } }
    return [{ issuer, issuerKey, x5c: undefined, holderBound, view: viewOf(toy), content }]
  },
}
