import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { pageShape } from '../api/paging.js'
import { zLogo, zShownLogo } from '../images/image-reference.js'
import { isLanguageTag } from '../protocol/openid4vci/display.js'
import { zShownName } from '../protocol/shown-name.js'
import { zBranding } from './branding.js'
import { requestedCertificateShape } from './requested-certificate.js'

const zMethod = z.enum(['key', 'web']).meta({ description: 'DID method; a did:web is hosted by this service.' })

const zRecordMethod = z.enum(['key', 'web']).meta({
  description:
    'DID method; a did:web is hosted by this service. If the base URL is plain http, other parties cannot resolve the did:web. Then a record with `web` ' +
    'signs under the did:jwk of its key.',
})

export const zDisplayEntry = z.strictObject({
  name: zShownName,
  locale: z.string().max(35).refine(isLanguageTag, { error: 'must be a language tag such as de or pt-BR' }).optional(),
  logo: zLogo.optional(),
})

/**
 * A display entry in an answer. It may be older than some rules for new entries, so these rules are not checked here.
 */
export const zStoredDisplayEntry = z.strictObject({
  name: z.string().max(200),
  locale: z.string().max(35).optional(),
  logo: z.strictObject(zShownLogo.shape).optional(),
})

/** An issuer or verifier record as the API returns it: its DID and its display. */
export const zAgentRecord = z.object({
  id: z.uuid(),
  did: z.string(),
  method: z.enum(['key', 'web']),
  display: z.array(zStoredDisplayEntry),
  branding: zBranding.optional(),
  warnings: z
    .array(z.string())
    .optional()
    .meta({ description: 'Faults that make pages hard to read: text with too little contrast to its background.' }),
  isDefault: z.boolean(),
  createdAt: z.iso.datetime(),
})

/** The task of the key of an issuer record. */
export const zSigning = z.enum(['every', 'delegated']).meta({
  description:
    '`every`: the key of the record signs every document. `delegated`: the key signs the certificates of short-lived signers. These sign every ' +
    'document with a certificate chain: SD-JWT VCs, mdocs, Token Status Lists, signed metadata.',
})

/** An issuer record as the API returns it. */
export const zIssuerRecord = zAgentRecord.extend({ signing: zSigning })

export const zAgentDid = z.object({
  did: z.string(),
  method: z.string(),
  createdAt: z.iso.datetime(),
  document: z.record(z.string(), z.unknown()),
})

const newRecord = z.strictObject({
  method: zRecordMethod,
  display: z.array(zDisplayEntry).max(50).optional(),
  branding: zBranding.optional(),
  keyProvider: z.string().max(32).optional().meta({
    description:
      'The key provider that makes and keeps the signing key: a name of KEY_PROVIDERS, or `database` (the default). The private key never leaves its provider.',
  }),
  algorithm: z.enum(['ES256', 'EdDSA']).optional().meta({
    description: 'The algorithm of the key. Default: ES256.',
  }),
})
const newIssuer = newRecord.extend({
  signing: zSigning.optional().meta({
    description:
      'Default: `every`. With `delegated`, the record needs the certificate of a certificate authority (`POST /agent/issuer/{id}/certificate`). ' +
      'Until then its own key signs, and its documents have no chain.',
  }),
})
const newVerifier = newRecord.extend({
  signing: z
    .literal('every', {
      error:
        'must be every for a verifier, because the name of a verifier is the hash of the certificate of its own key',
    })
    .optional()
    .meta({ description: 'The key of a verifier record signs every request itself.' }),
})
const byId = z.strictObject({ id: z.string() })
const page = z.strictObject(pageShape).prefault({})

export const createIssuer = {
  meta: route('POST', '/agent/issuer', {
    tag: 'Agent',
    summary: 'Create an issuer record with a new key and DID',
    description:
      'A did:web is hosted by this service, a did:key is the key itself. Wallets show `display`. Offerings, ' +
      'credentials and credential offers name the record by `issuerId`.',
    access: 'admin',
    idempotent: true,
    status: 201,
    errors: [400],
  }),
  input: newIssuer,
  output: zIssuerRecord,
}

export const listIssuers = {
  meta: route('GET', '/agent/issuers', {
    tag: 'Agent',
    summary: "List the caller's issuer records and the default issuer",
    description: "The newest first. The answer's `Link` header names the next page, if there is one.",
    access: 'admin',
    errors: [400],
  }),
  input: page,
  output: z.array(zIssuerRecord),
}

export const readIssuer = {
  meta: route('GET', '/agent/issuer/{id}', {
    tag: 'Agent',
    summary: "Read one of the caller's issuer records, or the default issuer",
    description:
      'A record that a different caller created counts as unknown. For an unknown issuer, the answer is a 500.',
    access: 'admin',
    errors: [400, errors.issuerNotFound()],
  }),
  input: byId,
  output: zIssuerRecord,
}

export const createVerifier = {
  meta: route('POST', '/agent/verifier', {
    tag: 'Agent',
    summary: 'Create a verifier record with a new key and DID',
    description:
      'Requests that name the record by `verifierId` are signed with its key, and wallets see its DID and ' +
      '`display`.',
    access: 'admin',
    idempotent: true,
    status: 201,
    errors: [400],
  }),
  input: newVerifier,
  output: zAgentRecord,
}

export const listVerifiers = {
  meta: route('GET', '/agent/verifiers', {
    tag: 'Agent',
    summary: "List the caller's verifier records and the default verifier",
    description: "The newest first. The answer's `Link` header names the next page, if there is one.",
    access: 'admin',
    errors: [400],
  }),
  input: page,
  output: z.array(zAgentRecord),
}

export const readVerifier = {
  meta: route('GET', '/agent/verifier/{id}', {
    tag: 'Agent',
    summary: "Read one of the caller's verifier records, or the default verifier",
    description:
      'A record that a different caller created counts as unknown. For an unknown verifier, the answer is a 500.',
    access: 'admin',
    errors: [400, errors.verifierNotFound()],
  }),
  input: byId,
  output: zAgentRecord,
}

/** 64 KiB, more than eight certificates need. */
const MAX_CHAIN_CHARACTERS = 65_536

export const zVerifierCertificate = z.object({
  clientId: z.string().meta({ description: 'The verifier’s client identifier in further requests: `x509_hash:…`.' }),
  dnsNames: z.array(z.string()).meta({ description: 'The dNSName entries of the certificate.' }),
  expiresAt: z.iso.datetime().meta({ description: 'When the chain expires: the earliest end of its certificates.' }),
})

export const requestVerifierCertificate = {
  meta: route('GET', '/agent/verifier/{id}/certificate-request', {
    tag: 'Agent',
    summary: 'Get a certification request (PKCS#10) for the current signing key of a verifier',
    description:
      'PEM, from which an authority makes a certificate. It contains the name of the record, and the host of VERIFIER_BASE_URL (dNSName) if ' +
      'the host is a name. The parameters add what the policy of an access certificate demands (ETSI TS 119 411-8). The private key stays in the ' +
      'service.',
    access: 'admin',
    errors: [400, errors.verifierNotFound()],
  }),
  input: byId.extend(requestedCertificateShape),
  output: z.object({ certificateRequest: z.string() }),
}

export const certifyVerifier = {
  meta: route('POST', '/agent/verifier/{id}/certificate', {
    tag: 'Agent',
    summary: 'Give a verifier the certificate that an authority made for its key',
    description:
      'The requests of the verifier then use `x509_hash` by default. A former certificate is replaced; open requests do not change. ' +
      'A TLS certificate or a reader certificate is sufficient. The certificate of the default verifier is in VERIFIER_X509.',
    access: 'admin',
    requestExample: { chain: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----' },
    errors: [400, errors.verifierNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    chain: z.string().min(1).max(MAX_CHAIN_CHARACTERS).meta({
      description:
        'PEM: the certificate, then each certificate that certifies the previous one, at most 8. A root at the end is left out.',
    }),
  }),
  output: zVerifierCertificate,
}

const issuerCertificateSigning = {
  signing: zSigning.optional().meta({
    description: 'What the key signs with the certificate. Default: as the record has it.',
  }),
}

export const requestIssuerCertificate = {
  meta: route('GET', '/agent/issuer/{id}/certificate-request', {
    tag: 'Agent',
    summary: 'Get a certification request (PKCS#10) for the current signing key of an issuer',
    description:
      'PEM, from which an authority makes a certificate. It contains the name of the record, and the host of ISSUER_BASE_URL (dNSName) if ' +
      'the host is a name. With `signing=delegated`, it asks for the certificate of an authority (basicConstraints with CA and path length 0, ' +
      'keyCertSign). The private key stays where it is.',
    access: 'admin',
    errors: [400, errors.issuerNotFound()],
  }),
  input: byId.extend({ ...requestedCertificateShape, ...issuerCertificateSigning }),
  output: z.object({ certificateRequest: z.string() }),
}

export const zIssuerCertificate = z.object({
  signing: zSigning,
  names: z
    .array(z.string())
    .meta({ description: 'The dNSName and uniformResourceIdentifier entries of the certificate.' }),
  expiresAt: z.iso.datetime().meta({ description: 'When the chain expires: the earliest end of its certificates.' }),
})

export const certifyIssuer = {
  meta: route('POST', '/agent/issuer/{id}/certificate', {
    tag: 'Agent',
    summary: 'Give an issuer the certificate that an authority made for its key',
    description:
      'SD-JWT VCs, mdocs and lists of the issuer then carry the chain. A former certificate is replaced. With `signing` `every`, the certificate ' +
      'must be for signatures and for the host (dNSName) or the URL of ISSUER_BASE_URL. With `delegated`, it must be the certificate of an ' +
      'authority, and the short-lived signers name ISSUER_BASE_URL. The certificate of the default issuer is in ISSUER_X509.',
    access: 'admin',
    requestExample: { chain: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----', signing: 'delegated' },
    errors: [400, errors.issuerNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    chain: z.string().min(1).max(MAX_CHAIN_CHARACTERS).meta({
      description:
        'PEM: the certificate, then each certificate that certifies the previous one, at most 8. A root above the first certificate is left out.',
    }),
    ...issuerCertificateSigning,
  }),
  output: zIssuerCertificate,
}

export const changeIssuerSigning = {
  meta: route('POST', '/agent/issuer/{id}/signing', {
    tag: 'Agent',
    summary: 'Change what the key of an issuer without a certificate signs itself',
    description:
      'The change takes effect with the certificate that the issuer gets next. If the key has a certificate of the other kind, the answer is a 409: ' +
      'send the new certificate and `signing` together to `POST /agent/issuer/{id}/certificate`. ISSUER_SIGNING decides for the default issuer.',
    access: 'admin',
    requestExample: { signing: 'delegated' },
    errors: [
      400,
      errors.issuerNotFound(),
      errors.signingUnfit('The key of the issuer has the certificate of a signer.'),
    ],
  }),
  input: z.strictObject({ id: z.string(), signing: zSigning }),
  output: zIssuerRecord,
}

export const createDid = {
  meta: route('POST', '/agent/did', {
    tag: 'Agent',
    summary: 'Create a DID with a new key',
    description:
      'A did:web is hosted by this service at the address in the DID. The answer contains the DID document; ' +
      'the private key stays in the service.',
    access: 'admin',
    idempotent: true,
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({ method: zMethod }),
  output: zAgentDid,
}

export const listDids = {
  meta: route('GET', '/agent/dids', {
    tag: 'Agent',
    summary: 'List all DIDs that the caller created, with the DIDs of the caller’s holders, issuers and verifiers',
    description:
      "The newest first, without their documents. The answer's `Link` header names the next page, if there is " +
      'one.',
    access: 'admin',
    errors: [400],
  }),
  input: page,
  output: z.array(zAgentDid.omit({ document: true })),
}

export const readDid = {
  meta: route('GET', '/agent/did/{did}', {
    tag: 'Agent',
    summary: 'Read a DID that this service created',
    description: 'The body is null for a DID that this service did not create.',
    access: 'admin',
    errors: [400],
  }),
  input: z.strictObject({ did: z.string() }),
  output: zAgentDid.nullable(),
}
