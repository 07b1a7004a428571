import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { isTrustEntry } from '../../config/rules.js'
import { zDcqlQuery } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { namesShape } from '../../names/names.js'
import { isPlatformOrigin, isWebOrigin, zWalletUrl } from '../../protocol/oauth/redirect-uri.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'
import { DIGITAL_CREDENTIAL_PROTOCOLS } from '../../protocol/openid4vp/digital-credentials.js'
import { zVpQuery } from '../../protocol/openid4vp/query/vp-query.js'
import { RESPONSE_MODES } from '../../protocol/openid4vp/request-object.js'
import { zTransactionDataEntries } from '../../protocol/openid4vp/transaction-data.js'
import { checkEvidence, evidenceShape } from '../evidence/evidence.contract.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'
import { checkCombinations } from './combinations.js'

const MAX_VALIDITY_SECONDS = 86_400

export const zValidity = z
  .number()
  .min(1)
  .max(MAX_VALIDITY_SECONDS)
  .meta({ description: 'Seconds until the request expires. Default: 300.' })

export const zRedirectUri = z.string().min(1).max(2_000).meta({
  description: "Where the wallet sends its user afterwards: an https URL, or an app's own scheme with a dot in it.",
  example: 'https://shop.example/done',
})

const MAX_VERIFIER_INFO_CHARACTERS = 65_536

/** `verifier_info` of OpenID4VP 1.0 §5.1. */
const zVerifierInfo = z
  .array(
    z.strictObject({
      format: z.string().min(1).max(256),
      data: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
      credential_ids: z.array(z.string()).min(1).max(32).optional(),
    }),
  )
  .min(1)
  .max(16)
  .refine((info) => JSON.stringify(info).length <= MAX_VERIFIER_INFO_CHARACTERS, {
    error: `must not hold more than ${MAX_VERIFIER_INFO_CHARACTERS} characters`,
  })
  .meta({
    description:
      'Attestations about the verifier. Wallets receive them unchanged (`verifier_info`, OpenID4VP 1.0 §5.1). A verifier with ' +
      'registration certificates may not give another `registration_cert` here.',
  })

/** The authorization request result of the interface, and the id of its session. */
export const zAuthorizationRequestResult = z.object({
  request_uri: z.url().meta({ description: 'Address of the signed request object.' }),
  qr_code_url: z.url().meta({ description: 'Address of the QR code that wallets scan.' }),
  state: z.string(),
  nonce: z.string(),
  validity: z.number(),
  verificationSessionId: z.string(),
  authorizationRequestUri: z.string().meta({
    description:
      'The openid4vp:// address that opens a wallet. Empty over the Digital Credentials API, which has no such address.',
  }),
  walletUri: z.string().optional().meta({
    description:
      'The same address for the wallet of `walletUrl`, or of profile `haip`. The QR code then holds this address.',
  }),
})

/** The argument that a page passes to `navigator.credentials.get({digital: {requests: [it]}})` (OpenID4VP 1.0 Appendix A). */
export const zDigitalCredentialRequest = z
  .object({ protocol: z.enum(DIGITAL_CREDENTIAL_PROTOCOLS), data: z.record(z.string(), z.unknown()) })
  .meta({
    description:
      'Over the Digital Credentials API: an element of `requests` in `navigator.credentials.get({digital: {requests}})`. The page ' +
      'that calls it has one of the `expectedOrigins`.',
  })

/** The result of every way in which a request reaches a wallet. */
export const zCreatedRequest = z.object({
  ...zAuthorizationRequestResult.partial({ qr_code_url: true, state: true }).shape,
  request_uri: z
    .url()
    .optional()
    .meta({ description: 'Address of the signed request object. Absent if wallets do not fetch the request.' }),
  response_uri: z.url().optional().meta({
    description:
      'Over the Digital Credentials API: where the page posts the `{protocol, data}` that the browser returned.',
  }),
  digitalCredentialRequest: zDigitalCredentialRequest.optional(),
  pageUrl: z.url().optional().meta({ description: 'Address of the share page, if `page` is true.' }),
})

const MAX_PURPOSE = 300

/** Why a verifier makes a request (OpenID4VP 1.0, Privacy Considerations, Purpose Legitimacy). Wallets have no place for it, so the share page says it. */
export const zPurpose = z
  .string()
  .trim()
  .min(1)
  .max(MAX_PURPOSE)
  .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character' })
  .meta({
    description:
      'Why the verifier asks, in a sentence for people. The share page shows it before the QR code. The request object does not hold ' +
      'it, because OpenID4VP 1.0 has no member for it.',
    example: 'We check that you are a member before you pay the lower price.',
  })

const areDistinct = (values: readonly unknown[]) => new Set(values).size === values.length

const zClientIdPrefix = z.enum(CLIENT_ID_PREFIXES)

const zExpectedOrigin = z
  .string()
  .max(300)
  .refine((text) => isWebOrigin(text) || isPlatformOrigin(text), {
    error: 'must be an origin as browsers write it, such as https://shop.example',
  })

export const createAuthorizationRequest = (formats: Formats) => ({
  meta: route('POST', '/authorization-requests', {
    tag: 'Authorization requests',
    summary: 'Ask wallets for a presentation, by a DCQL query or by VP query items',
    description:
      'Either `dcqlQuery` or `query` describes the requested credentials. The response holds the address that opens a wallet, its ' +
      'QR code and the verification session.',
    access: 'verifier',
    idempotent: true,
    status: 201,
    requestExample: { query: [{ fields: [{ path: ['$.credentialSubject.productName'] }] }], validity: 300 },
    errors: [400, errors.verifierCertificateExpired(), errors.registrationUnusable()],
  }),
  input: z
    .strictObject({
      dcqlQuery: zDcqlQuery(formats).optional(),
      query: zVpQuery.optional(),
      profile: z
        .enum(PROFILE_NAMES)
        .optional()
        .meta({
          description:
            'The rules for request and answer. Default: VERIFIER_PROFILE. `haip` (HAIP 1.0) requires `redirectUri`, TRUST_ANCHORS ' +
            'and a verifier with a certificate for a P-256 key. It allows `x509_hash`, `direct_post.jwt`, SD-JWT VCs and mobile ' +
            'documents only; issuers and status lists must prove their identity by `x5c`. `draft24` and `draft21` are for wallets ' +
            'that support no later version of OpenID4VP. VERIFIER_LEGACY_PROFILES must list them. They state the same query in the ' +
            "draft's own format (DCQL, Presentation Exchange); 400 for a request that the draft cannot state.",
        }),
      redirectUri: zRedirectUri.optional(),
      requireResponseCode: z
        .boolean()
        .optional()
        .meta({
          description:
            'If true, the result is returned only with the `response_code` of the redirect. Only the browser that the wallet sent back ' +
            'has this code (OpenID4VP 1.0 §14.2). Requires `redirectUri`. Default: false; true in profile `haip` and with `page`.',
        }),
      validity: zValidity.optional(),
      responseMode: z
        .enum(RESPONSE_MODES)
        .optional()
        .meta({
          description:
            'How the answer arrives: from the wallet (`direct_post`) or over the Digital Credentials API (`dc_api`, OpenID4VP 1.0 ' +
            'Appendix A); encrypted with `.jwt`. Over that API, a page of `expectedOrigins` passes `digitalCredentialRequest` to the ' +
            'browser and posts the result to `response_uri`. There is no QR code, `redirectUri` and `walletUrl` must be absent, and ' +
            'the session begins in RequestUriRetrieved. Default: VERIFIER_RESPONSE_MODE.',
        }),
      expectedOrigins: z
        .array(zExpectedOrigin)
        .min(1)
        .max(16)
        .optional()
        .meta({
          description:
            'Origins of the pages and apps that may use the Digital Credentials API for this request. A page origin is written as ' +
            'browsers write it, an app origin as its platform does (`android:apk-key-hash:…`). The answer is bound to one of them.',
          example: ['https://shop.example'],
        }),
      signed: z
        .boolean()
        .optional()
        .meta({
          description:
            'Whether a request over the Digital Credentials API is signed. Default: true if `clientIdPrefix` is given or the ' +
            'verifier has a certificate.',
        }),
      clientIdPrefix: z
        .union([
          zClientIdPrefix,
          z
            .array(zClientIdPrefix)
            .min(2)
            .max(CLIENT_ID_PREFIXES.length)
            .refine(areDistinct, { error: 'must not hold one twice' }),
        ])
        .optional()
        .meta({
          description:
            "The verifier's client identifier prefix (OpenID4VP 1.0 §5.9.3). Default: `x509_hash` if the verifier has a certificate, " +
            'otherwise `decentralized_identifier`. `x509_san_dns` requires a certificate for the host of VERIFIER_BASE_URL. ' +
            '`verifier_attestation` requires the default verifier and VERIFIER_ATTESTATION. ' +
            'Requests with `redirect_uri` are not signed: the address holds all parameters and must fit in a QR code ' +
            '(2,900 characters), and the session begins in RequestUriRetrieved. Over the Digital Credentials API, an array of two or ' +
            'more prefixes makes one signature for each (`openid4vp-v1-multisigned`).',
        }),
      verifierInfo: zVerifierInfo.optional(),
      intendedUse: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .meta({
          description:
            'The intended use (`intended_use_id`), or the id, of a registration certificate of the verifier. Default: the only certificate that ' +
            'covers the query. Requests that are signed with the access certificate carry it as `registration_cert` in ' +
            '`verifier_info`. A query beyond it is a 400. If no certificate can be used, the answer is a 409.',
        }),
      transactionData: zTransactionDataEntries.optional().meta({
        description:
          'Transactions that the holder authorizes with a credential, such as a payment (`transaction_data`, OpenID4VP 1.0 §8.4, ' +
          'Appendix B.3.3): at most 16 entries, each at most 8 KiB as JSON. `credential_ids` names credential queries for SD-JWT VC ' +
          'with holder binding. One of their presentations must hold the hash, by an algorithm of `transaction_data_hashes_alg` ' +
          '(default: `sha-256`). The type of an entry defines its further members. The result reports which credential authorized ' +
          'which entry.',
      }),
      walletUrl: zWalletUrl.optional().meta({
        description:
          'The beginning of `walletUri`, instead of `openid4vp://`. Default in profile `haip`: `haip-vp://`.',
        example: 'https://wallet.example/authorize',
      }),
      page: z
        .boolean()
        .optional()
        .meta({
          description:
            'Whether to create a share page (`pageUrl`), as POST /pages does. The QR code then holds the address of the page, so that a ' +
            'camera without a wallet also opens it. Wallets redirect to the page. In the browser that opened it first, the page ' +
            'continues to `redirectUri`.',
        }),
      verifierId: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Id of a verifier record. Default: the default verifier.' }),
      trustedIssuers: z
        .array(z.string().refine(isTrustEntry, { error: 'must be self, x5c, *, a DID or an https origin' }))
        .min(1)
        .max(1_000)
        .optional()
        .meta({ description: 'Issuers whose credentials this request accepts, instead of TRUSTED_ISSUERS.' }),
      purpose: zPurpose.optional(),
      ...evidenceShape,
      ...namesShape,
    })
    .refine(({ dcqlQuery, query }) => (dcqlQuery === undefined) !== (query === undefined), {
      error: 'must hold either dcqlQuery or query',
    })
    .check(checkCombinations)
    .check(checkEvidence),
  output: zCreatedRequest,
})
