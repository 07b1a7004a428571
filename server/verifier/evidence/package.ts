import { z } from 'zod'
import { FORMATS } from '../../formats/registry.js'
import { zCheckDone } from '../verify/check-done.js'

/** The form of the package. It grows by one if a member changes its meaning or disappears. */
export const EVIDENCE_VERSION = 1

const zJsonObject = z.record(z.string(), z.unknown())
const zMoment = z.iso.datetime()
const zCertificates = z.array(z.string())

const zJwk = zJsonObject.meta({ description: 'A public key (RFC 7517).' })

const zTimedCheck = zCheckDone.extend({
  at: zMoment.optional().meta({ description: 'When the check ended. Absent for a check that was not reached.' }),
})

/** A document that the verification read. */
export const zSource = z.object({
  kind: z.enum(['did-document', 'issuer-keys', 'status-list', 'type-metadata']).meta({
    description:
      '`did-document`: the keys of a DID document (DID Core 1.0 §5). `issuer-keys`: the metadata of an issuer, or its JWK Set ' +
      '(SD-JWT VC, "JWT VC Issuer Metadata"); of this installation only the key that a header names. `status-list`: a Status List ' +
      'Token, as a JWT or as a CWT, or a Bitstring Status List credential. `type-metadata`: the metadata of an SD-JWT VC type.',
  }),
  address: z.string().meta({ description: 'The address of the document, or the DID.' }),
  mediaType: z.string().optional().meta({ description: 'The media type that was asked for.' }),
  fetchedAt: zMoment.meta({
    description:
      'When the document was fetched. A DID document of another host may be up to 5 minutes older than the answer.',
  }),
  own: z.boolean().optional().meta({ description: 'True for a document of this installation, which is not fetched.' }),
  encoding: z.literal('base64url').optional().meta({
    description: 'Present if the document is not text: `content` is base64url of its octets.',
  }),
  content: z.union([z.string(), zJsonObject]).optional().meta({
    description:
      'The document: text as it was received, or an object if it is JSON. Absent if the package would exceed its limit of 4 MiB.',
  }),
  sha256: z.string().optional().meta({
    description: 'Only without `content`: the SHA-256 hash of the document as UTF-8, base64url.',
  }),
})

/** A key that was found for a signer, and the way to it. */
export const zFoundKey = z.object({
  of: z.string().meta({ description: 'The signed object: `Credential` or `Status list`.' }),
  issuer: z
    .string()
    .meta({ description: 'The identifier that the key was found under; with a chain, the proven issuer.' }),
  kid: z.string().optional().meta({ description: 'The `kid` of the header that named the key.' }),
  jwk: zJwk,
  certificates: zCertificates.optional().meta({
    description:
      'The verified chain, if certificates prove the key: from the signer to the trust anchor, each base64 DER. Other keys come ' +
      'from `sources`, or from the DID itself.',
  }),
  foundAt: zMoment,
})

const zPresentation = z.object({
  credentialQueryId: z.string().meta({ description: 'Id of the DCQL credential query that the presentation answers.' }),
  format: z.string().meta({ description: `Format of the query: ${FORMATS.map(({ name }) => name).join(', ')}.` }),
  presentation: z.union([z.string(), zJsonObject]).meta({
    description:
      'The presentation as it arrived, after the decryption of the answer: an SD-JWT VC with its Key Binding JWT, a VP in a JWT, or ' +
      'base64url of a DeviceResponse (ISO/IEC 18013-5).',
  }),
  selected: z
    .int()
    .optional()
    .meta({ description: 'Only profile `draft21`: the index of the chosen credential in it.' }),
  proof: z.enum(['always', 'whereBound', 'never']).meta({
    description: "Whether the holder's proof was required: always, if the credential is bound to a holder, or never.",
  }),
  issuers: z.array(z.string()).meta({
    description: 'The trusted issuers of the credentials in it, in their order. Empty if the presentation failed.',
  }),
  sessionTranscripts: z
    .array(z.string())
    .optional()
    .meta({
      description:
        "Only for mobile documents: base64url of each SessionTranscript that the device's signature may cover (OpenID4VP 1.0 Appendix B.2.6), " +
        'one for each origin. They are made from `clientId`, `nonce`, `encryptionKey` and `responseUri`, or from `origins`. That ' +
        'version has no mdoc_generated_nonce.',
    }),
  checks: z.array(zTimedCheck),
})

const zRequest = z.object({
  clientId: z.string().optional().meta({
    description: 'The client identifier in the request, with its prefix. Absent over the Digital Credentials API.',
  }),
  audience: z.array(z.string()).meta({ description: "The accepted audiences of the holder's proof." }),
  nonce: z.string().meta({ description: "The nonce that the holder's proof must have." }),
  responseMode: z.string(),
  responseUri: z.string().optional().meta({ description: 'The address that received the answer.' }),
  origins: z.array(z.string()).optional().meta({
    description: 'Over the Digital Credentials API: the origins that could ask.',
  }),
  encryptionKey: zJwk.optional().meta({ description: 'The public key that the answer was encrypted to.' }),
  protocol: z
    .string()
    .optional()
    .meta({ description: 'Over the Digital Credentials API: the `protocol` of the request.' }),
  signed: z
    .union([z.string(), zJsonObject])
    .optional()
    .meta({
      description:
        'The request object as it was signed and sent: a compact JWS, or a JWS in the general JSON serialization if several client ' +
        'identifiers signed.',
    }),
  copies: z
    .array(z.string())
    .optional()
    .meta({
      description:
        'The request objects for wallets that sent a `wallet_nonce` or their metadata, as they were signed and sent, each a compact ' +
        'JWS: at most the newest five. They differ from `signed` only in `wallet_nonce` and in what a wallet does not support.',
    }),
  key: zJwk.optional().meta({ description: 'The public key that signed the request object.' }),
  parameters: zJsonObject.optional().meta({ description: 'The parameters of a request that is not signed.' }),
  dcqlQuery: zJsonObject.meta({ description: 'The query, in the form of OpenID4VP 1.0.' }),
  vpQuery: z.array(z.unknown()).optional().meta({ description: 'The VP query items that the query was made from.' }),
  transactionData: z.array(z.string()).optional().meta({
    description:
      'The entries of `transaction_data` as they were sent, base64url. Hashes in the answer are of these texts.',
  }),
})

const zRules = z.object({
  algorithms: z.array(z.string()).meta({ description: 'Accepted values of `alg`.' }),
  certifiedOnly: z.boolean().meta({
    description: 'Whether only certificate chains without roots could prove issuers and status lists (HAIP 1.0 §6.1).',
  }),
  holderBound: z
    .boolean()
    .meta({ description: "Whether a holder's key had to be a JWK, and each bound credential to be proven." }),
  leewaySeconds: z.int().meta({ description: 'Seconds granted to `iat` and `nbf`.' }),
  trustedIssuers: z.array(z.string()).meta({
    description: 'The list of trusted issuers that applied, in the form of TRUSTED_ISSUERS.',
  }),
  issuerBaseUrl: z
    .string()
    .meta({ description: 'Base address of this installation, for the names of its credential types.' }),
})

const zTrustAnchors = z.object({
  credentials: zCertificates.meta({ description: 'The roots that chains of credentials led to, each base64 DER.' }),
  statusLists: zCertificates.meta({ description: 'The roots that chains of status lists led to, each base64 DER.' }),
})

/** The evidence of one answer, as it is stored. */
export const zStoredEvidence = z.object({
  version: z.literal(EVIDENCE_VERSION).meta({ description: 'The form of this package.' }),
  verificationSessionId: z.string(),
  verifierId: z.string().meta({ description: 'DID of the verifier.' }),
  profile: z.string().meta({ description: 'The profile of request and answer.' }),
  state: z.enum(['ResponseVerified', 'Error']).meta({ description: 'The outcome: verified or refused.' }),
  errorMessage: z.string().optional().meta({ description: 'Present when state is Error.' }),
  requestedAt: zMoment.meta({ description: "When the request was made. The holder's proof is not older." }),
  answeredAt: zMoment.meta({
    description: 'The moment that every time in credentials, proofs, lists and certificates was compared with.',
  }),
  endedAt: zMoment.meta({ description: 'When the outcome was known.' }),
  request: zRequest,
  rules: zRules,
  presentations: z.array(zPresentation),
  checks: z.array(zTimedCheck).meta({ description: 'Checks of the answer as a whole that failed.' }),
  keys: z.array(zFoundKey).meta({ description: 'The keys of issuers that were found.' }),
  trustAnchors: zTrustAnchors,
  sources: z.array(zSource).meta({ description: 'Every document that the verification read, in order.' }),
})

export type StoredEvidence = z.infer<typeof zStoredEvidence>
export type EvidencePresentation = z.infer<typeof zPresentation>
export type TimedCheck = z.infer<typeof zTimedCheck>
export type SourceRecord = z.infer<typeof zSource>
export type FoundKeyRecord = z.infer<typeof zFoundKey>

/** The package of an auditor. */
export const zEvidence = zStoredEvidence.extend({
  keptUntil: zMoment.meta({ description: 'When this service deletes its copy.' }),
})

export type Evidence = z.infer<typeof zEvidence>
