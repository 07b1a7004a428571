import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'

const zDidDocument = z.looseObject({ '@context': z.unknown().optional(), id: z.string() })

const input = z.strictObject({ uuid: z.string() })

export const hostedDocument = {
  meta: route('GET', '/{uuid}/did.json', {
    tag: 'DIDs',
    summary: 'A hosted DID document',
    description:
      'The document of a did:web of this service. It contains all current and former keys of the DID, so that signatures of former ' +
      'keys can be verified. No rate limit applies.',
    access: 'public',
    forWallets: true,
    counted: false,
    errors: [errors.didDocumentNotFound()],
  }),
  input,
  output: zDidDocument,
}

export const hostedWellKnownDocument = {
  meta: route('GET', '/{uuid}/.well-known/did.json', {
    tag: 'DIDs',
    summary: 'A hosted DID document',
    description: 'The same document as at `/{uuid}/did.json`. No rate limit applies.',
    access: 'public',
    forWallets: true,
    counted: false,
    errors: [errors.didDocumentNotFound()],
  }),
  input,
  output: zDidDocument,
}

export const didConfiguration = {
  meta: route('GET', '/.well-known/did-configuration', {
    tag: 'DIDs',
    summary: 'Domain-linkage entries',
    description:
      'One entry for each DID with which an issuer or verifier of this service signs: the DID, and a JWT signed by the DID that ' +
      'confirms this origin.',
    access: 'public',
    forWallets: true,
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ entries: z.array(z.object({ did: z.string(), jwt: z.string() })) }),
}

/** DIF Well Known DID Configuration §4. */
export const difDidConfiguration = {
  meta: route('GET', '/.well-known/did-configuration.json', {
    tag: 'DIDs',
    summary: 'Domain-linkage credentials in the format of the Decentralized Identity Foundation',
    description:
      'The same JWTs as at `/.well-known/did-configuration`, in the format of Well Known DID Configuration, §4.',
    access: 'public',
    forWallets: true,
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ '@context': z.string(), linked_dids: z.array(z.string()) }),
}

/** SD-JWT VC §3. */
export const jwtVcIssuer = {
  meta: route('GET', '/.well-known/jwt-vc-issuer', {
    tag: 'DIDs',
    summary: "The issuer's keys (SD-JWT VC issuer metadata)",
    description:
      'The current and former keys that verify an SD-JWT VC whose `iss` is the issuer base URL (SD-JWT VC, §3).',
    access: 'public',
    forWallets: true,
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ issuer: z.string(), jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) }),
}
