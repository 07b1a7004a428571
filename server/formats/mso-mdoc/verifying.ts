import { z } from 'zod'
import type { VerifiedMdoc } from '../../protocol/mdoc/mdoc.js'
import type { CredentialContent, Handover, PresentationContext, VerifiedCredential, Verifying } from '../verifying.js'
import { loadMdoc } from './load.js'
import { statusOf } from './status.js'
import { mdocView } from './view.js'

/** OpenID4VP 1.0 Appendix B.2.6. */
async function transcriptsOf(handover: Handover, nonce: string): Promise<readonly Uint8Array[]> {
  const { dcApiTranscript, redirectTranscript } = await loadMdoc()
  if ('origins' in handover) {
    const { origins, encryptionKey } = handover
    return origins.map((origin) => dcApiTranscript({ origin, nonce, encryptionKey }))
  }
  return [redirectTranscript({ ...handover, nonce })]
}

/** What the request said about storing the disclosed elements (`intent_to_retain`). */
function retentionOf(
  { claims }: Pick<VerifiedMdoc, 'claims'>,
  asked: PresentationContext['claims'],
): Pick<CredentialContent, 'intentToRetain'> {
  const namespaces = new Map<string, [string, boolean][]>()
  for (const { path, intent_to_retain: retain } of asked) {
    const [namespace, element] = path.map(String)
    if (retain === undefined || namespace === undefined || element === undefined) continue
    if (!Object.hasOwn(claims, namespace) || !Object.hasOwn(claims[namespace] ?? {}, element)) continue
    namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), [element, retain]])
  }
  if (namespaces.size === 0) return {}
  const entries = [...namespaces].map(([namespace, elements]) => [namespace, Object.fromEntries(elements)] as const)
  return { intentToRetain: Object.fromEntries(entries) }
}

const LOOKS_ENCODED = /^[\w-]+$/

/** Matches base64url of a CBOR map (RFC 8949 §3.1, major type 5). An IssuerSigned is such a map. */
const LOOKS_LIKE_MAP = /^[o-v][\w-]*$/

const inSeconds = (date: Date) => Math.floor(date.getTime() / 1000)

function verified(mdoc: VerifiedMdoc): VerifiedCredential {
  const { issuer, issuerKey, doctype, deviceKey, validityInfo, claims } = mdoc
  return {
    issuer,
    issuerKey,
    status: statusOf(mdoc),
    types: [doctype],
    cnf: { jwk: deviceKey },
    holder: undefined,
    issuedAt: inSeconds(validityInfo.signed),
    expiresAt: inSeconds(validityInfo.validUntil),
    // The holder's proof is in the DeviceResponse, never in the IssuerSigned.
    holderProof: undefined,
    shown: { docType: doctype, nameSpaces: claims },
  }
}

export const verifying = {
  certifiedOnly: true,
  // The names follow ISO/IEC 18013-5 §8.3.2.1.2.2. POST /credentials/verify does not accept mobile documents, since the
  // interface defines it only for the other two formats.
  answerByCheck: {
    format: 'mso_mdoc',
    members: {
      docType: z.string(),
      nameSpaces: z.record(z.string(), z.record(z.string(), z.unknown())),
    },
    resembles: (text) => LOOKS_LIKE_MAP.test(text),
  },
  recognises: (compact) => LOOKS_ENCODED.test(compact),
  verify: async (compact, options) => {
    const { verifyIssuerSigned } = await loadMdoc()
    return verified(await verifyIssuerSigned(compact, options))
  },
  transcriptsOf,
  verifyPresentation: async (presentation, context) => {
    const { verifyDeviceResponse } = await loadMdoc()
    const sessionTranscript = await transcriptsOf(context.handover, context.nonce)
    const { options } = context
    const mdoc = await verifyDeviceResponse(presentation, {
      ...options,
      sessionTranscript,
      deviceAlgorithms: options.algorithms,
    })
    options.onPassed?.('holder-binding')
    const { issuer, issuerKey, x5c, doctype, claims } = mdoc
    await context.checkStatus({ status: statusOf(mdoc), issuerKey })
    return [
      {
        issuer,
        issuerKey,
        x5c,
        holderBound: true,
        view: mdocView(mdoc),
        content: { type: [doctype], claims, ...retentionOf(mdoc, context.claims) },
      },
    ]
  },
} as const satisfies Verifying
