import { z } from 'zod'
import { route } from '../contract.js'

const zDidDocument = z.looseObject({ '@context': z.unknown().optional(), id: z.string() })

const input = z.strictObject({ uuid: z.string() })

export const hostedDocument = {
  meta: route('GET', '/{uuid}/did.json', {
    tag: 'DIDs',
    summary: 'A hosted DID document',
    access: 'public',
    errors: [404],
  }),
  input,
  output: zDidDocument,
}

export const hostedWellKnownDocument = {
  meta: route('GET', '/{uuid}/.well-known/did.json', {
    tag: 'DIDs',
    summary: 'A hosted DID document',
    access: 'public',
    errors: [404],
  }),
  input,
  output: zDidDocument,
}

export const didConfiguration = {
  meta: route('GET', '/.well-known/did-configuration', {
    tag: 'DIDs',
    summary: 'Domain-linkage entries',
    access: 'public',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ entries: z.array(z.object({ did: z.string(), jwt: z.string() })) }),
}

/** DIF Well Known DID Configuration §4. */
export const difDidConfiguration = {
  meta: route('GET', '/.well-known/did-configuration.json', {
    tag: 'DIDs',
    summary: 'Domain-linkage credentials in the form of the Decentralized Identity Foundation',
    access: 'public',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ '@context': z.string(), linked_dids: z.array(z.string()) }),
}

/** SD-JWT VC §3. */
export const jwtVcIssuer = {
  meta: route('GET', '/.well-known/jwt-vc-issuer', {
    tag: 'DIDs',
    summary: "The issuer's keys (SD-JWT VC issuer metadata)",
    access: 'public',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ issuer: z.string(), jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) }),
}
