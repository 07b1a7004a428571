import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { isTrustEntry } from '../../config/rules.js'
import { zDcqlQuery } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { isPlatformOrigin, isWebOrigin, zWalletUrl } from '../../protocol/oauth/redirect-uri.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'
import { DIGITAL_CREDENTIAL_PROTOCOLS } from '../../protocol/openid4vp/digital-credentials.js'
import { zVpQuery } from '../../protocol/openid4vp/query/vp-query.js'
import { RESPONSE_MODES } from '../../protocol/openid4vp/request-object.js'
import { zTransactionDataEntries } from '../../protocol/openid4vp/transaction-data.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'
import { checkCombinations } from './combinations.js'

const MAX_VALIDITY_SECONDS = 86_400

export const zValidity = z
  .number()
  .min(1)
  .max(MAX_VALIDITY_SECONDS)
  .meta({ description: 'Seconds in which the request can be answered; 300 unless given.' })

export const zRedirectUri = z.string().min(1).max(2_000).meta({
  description: "Where the wallet's user goes on: https, or an app's own scheme with a dot in it.",
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
      'Attestations about the verifier, passed on to wallets as they are (`verifier_info`, OpenID4VP 1.0 §5.1).',
  })

/** The authorization request result of the interface, and the session that it belongs to. */
export const zAuthorizationRequestResult = z.object({
  request_uri: z.url().meta({ description: 'Address of the signed request object.' }),
  qr_code_url: z.url().meta({ description: 'Address of the QR code that wallets scan.' }),
  state: z.string(),
  nonce: z.string(),
  validity: z.number(),
  verificationSessionId: z.string(),
  authorizationRequestUri: z.string().meta({
    description:
      'openid4vp:// address that a wallet opens; empty over the Digital Credentials API, where there is none.',
  }),
  walletUri: z.string().optional().meta({
    description: 'The same for the wallet of `walletUrl`, or of profile `haip`; the QR code then has this one.',
  }),
})

/** What a page hands to `navigator.credentials.get({digital: {requests: [it]}})` (OpenID4VP 1.0 Appendix A). */
export const zDigitalCredentialRequest = z
  .object({ protocol: z.enum(DIGITAL_CREDENTIAL_PROTOCOLS), data: z.record(z.string(), z.unknown()) })
  .meta({
    description:
      'Over the Digital Credentials API: an element of `requests` of `navigator.credentials.get({digital: {requests}})`, in a page ' +
      'of one of `expectedOrigins`.',
  })

/** The same in whatever way the request is handed out. */
export const zCreatedRequest = z.object({
  ...zAuthorizationRequestResult.partial({ qr_code_url: true, state: true }).shape,
  request_uri: z
    .url()
    .optional()
    .meta({ description: 'Address of the signed request object; left out where nothing is fetched.' }),
  response_uri: z.url().optional().meta({
    description: 'Over the Digital Credentials API: where the page posts `{protocol, data}` that it got.',
  }),
  digitalCredentialRequest: zDigitalCredentialRequest.optional(),
  pageUrl: z.url().optional().meta({ description: 'The page for people, where one was asked for.' }),
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
      'One of `dcqlQuery` and `query` says what is asked for. The answer names the address that a wallet opens, its ' +
      'QR code and the verification session.',
    access: 'verifier',
    status: 201,
    requestExample: { query: [{ fields: [{ path: ['$.credentialSubject.productName'] }] }], validity: 300 },
    errors: [400, errors.verifierCertificateExpired()],
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
            'What request and answer keep to; VERIFIER_PROFILE unless given. `haip` (HAIP 1.0) needs `redirectUri`, a verifier with a ' +
            'certificate for a P-256 key, and TRUST_ANCHORS: `x509_hash`, `direct_post.jwt`, SD-JWT VCs and mobile documents alone, and issuers and status ' +
            'lists that prove themselves by `x5c`. `draft24` and `draft21` are for wallets that know no later version of OpenID4VP, ' +
            'where VERIFIER_LEGACY_PROFILES lists them: the same query in the words of the draft (DCQL, Presentation Exchange); ' +
            '400 for what the draft cannot say.',
        }),
      redirectUri: zRedirectUri.optional(),
      requireResponseCode: z
        .boolean()
        .optional()
        .meta({
          description:
            'Whether the result is given only with the `response_code` of the redirect, so that it goes to nobody but the ' +
            'browser that was sent back (OpenID4VP 1.0 §14.2). Needs `redirectUri`; false unless given, true in profile `haip` and with `page`.',
        }),
      validity: zValidity.optional(),
      responseMode: z
        .enum(RESPONSE_MODES)
        .optional()
        .meta({
          description:
            'How the answer comes: by the wallet (`direct_post`), or by the Digital Credentials API (`dc_api`, OpenID4VP 1.0 ' +
            'Appendix A), encrypted with `.jwt`. Over that API a page of `expectedOrigins` hands `digitalCredentialRequest` to the ' +
            'browser and posts what it gets to `response_uri`; there is no QR code, `redirectUri` and `walletUrl` are left out, and ' +
            'the session is RequestUriRetrieved at once. VERIFIER_RESPONSE_MODE unless given.',
        }),
      expectedOrigins: z
        .array(zExpectedOrigin)
        .min(1)
        .max(16)
        .optional()
        .meta({
          description:
            'Origins of the pages and apps that may ask by the Digital Credentials API: of pages as browsers write them, of apps as their ' +
            'platform does (`android:apk-key-hash:…`). The answer is for one of them.',
          example: ['https://shop.example'],
        }),
      signed: z
        .boolean()
        .optional()
        .meta({
          description:
            'Whether a request over the Digital Credentials API is signed. Unless given, it is where `clientIdPrefix` is given or the ' +
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
            'How the verifier names itself (OpenID4VP 1.0 §5.9.3): `x509_hash` where it has a certificate, else ' +
            '`decentralized_identifier`, unless given. `x509_san_dns` needs a certificate for the host of VERIFIER_BASE_URL, ' +
            '`verifier_attestation` the default verifier and VERIFIER_ATTESTATION. ' +
            'Requests of `redirect_uri` are not signed: their parameters stand in the address, which a QR code must hold ' +
            '(2,900 characters), and the session is RequestUriRetrieved at once. Over the Digital Credentials API two or more in an ' +
            'array each sign the request (`openid4vp-v1-multisigned`).',
        }),
      verifierInfo: zVerifierInfo.optional(),
      transactionData: zTransactionDataEntries.optional().meta({
        description:
          'What the holder authorizes with a credential, such as a payment (`transaction_data`, OpenID4VP 1.0 §8.4, Appendix B.3.3): ' +
          'at most 16, each 8 KiB as JSON. `credential_ids` name credential queries for SD-JWT VC with holder binding; ' +
          'one of them must hold the hash, by an algorithm of `transaction_data_hashes_alg` (`sha-256` unless given). Further ' +
          'members are as the type defines them. The result says which credential authorized which entry.',
      }),
      walletUrl: zWalletUrl.optional().meta({
        description:
          'What `walletUri` begins with, in the place of `openid4vp://`; `haip-vp://` in profile `haip` unless given.',
        example: 'https://wallet.example/authorize',
      }),
      page: z
        .boolean()
        .optional()
        .meta({
          description:
            'Whether there is a page for people to be sent to (`pageUrl`), as POST /pages makes one. The QR code then holds its address, so ' +
            'that a camera without a wallet finds it. Wallets lead back to it, and it leads on to `redirectUri` in the browser that opened ' +
            'it first.',
        }),
      verifierId: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'A verifier record; the default one unless given.' }),
      trustedIssuers: z
        .array(z.string().refine(isTrustEntry, { error: 'must be self, x5c, *, a DID or an https origin' }))
        .min(1)
        .max(1_000)
        .optional()
        .meta({ description: 'Whose credentials this request accepts, in the place of TRUSTED_ISSUERS.' }),
    })
    .refine(({ dcqlQuery, query }) => (dcqlQuery === undefined) !== (query === undefined), {
      error: 'must hold either dcqlQuery or query',
    })
    .check(checkCombinations),
  output: zCreatedRequest,
})
