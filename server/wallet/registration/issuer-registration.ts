import type { Config } from '../../config/config.js'
import type { OutboundFetch } from '../../outbound/guard.js'
import { untrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { decodeCompact, JwsError, verifyDecoded } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { beyond } from '../../protocol/registration-certificates/beyond.js'
import type { DescribedMetadata } from '../openid4vci/issuer-metadata.js'
import { MAX_METADATA_BYTES, metadataUrl } from '../openid4vci/metadata-documents.js'
import type { Expectation } from '../openid4vci/verify-received.js'
import {
  answering,
  type CheckCertificates,
  InvalidRegistrationError,
  registrationOf,
  sentCertificates,
  UNREGISTERED,
  type ValidCertificate,
} from './certificates.js'
import type { PartyRegistration } from './registration.contract.js'

const TYPE = 'openidvci-issuer-metadata+jwt'
/** The clock of an issuer may be ahead by so much. */
const LEEWAY_SECONDS = 60

const invalid = (reason: string) => new InvalidRegistrationError(reason)

const covers = ({ content }: ValidCertificate, { format, types }: Expectation): boolean => {
  const query = { id: 'offered', format: format.name, meta: format.holding.metaOf(types) }
  return beyond({ credentials: content.providesAttestations }, { credentials: [query] }, () => false).length === 0
}

/** Dependencies of {@link createIssuerRegistration}. */
export interface IssuerRegistrationPorts {
  readonly check: CheckCertificates
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierTrustAnchors' | 'listed'>
  /** The signed metadata of this installation, read without HTTP. */
  readonly ownSigned: () => Promise<string>
  readonly clock: () => Date
}

/**
 * Judges the registration of an issuer (ETSI TS 119 472-3 §4.2): its certificates in `issuer_info` of the signed metadata, and
 * the offered credentials that they do not cover. Only signed metadata tie a registration certificate to the issuer.
 *
 * @param offered the credentials that the wallet would take
 */
export type IssuerRegistration = ReturnType<typeof createIssuerRegistration>

/** Creates {@link IssuerRegistration} from its dependencies. */
export function createIssuerRegistration({ check, config, ownSigned, clock }: IssuerRegistrationPorts) {
  async function signedText(fetch: OutboundFetch, issuer: string): Promise<string> {
    if (issuer === config.issuerBaseUrl) return ownSigned()
    const answer = await fetch(metadataUrl(issuer), {
      headers: { accept: 'application/jwt' },
      maxBytes: MAX_METADATA_BYTES,
    })
    const isJwt = /^application\/jwt\b/i.test(answer.headers.get('content-type')?.trim() ?? '')
    if (answer.ok && isJwt) return (await answer.text()).trim()
    throw invalid('The issuer has no signed metadata, so nothing ties its registration certificate to it.')
  }

  /** Verifies signed metadata (OpenID4VCI 1.0 §12.2.3) with the access certificate in `x5c`. */
  function verified(text: string, issuer: string): { readonly payload: JsonObject; readonly x5c: readonly string[] } {
    const now = clock()
    let x5cSent: unknown
    try {
      const signed = decodeCompact(text)
      x5cSent = signed.header.x5c
      const { header, payload } = signed
      if (header.typ !== TYPE) throw invalid('The signed metadata of the issuer have another typ.')
      const { verifierTrustAnchors: trustAnchors, listed } = config
      const { jwk } = trustedChain(header.x5c, { trustAnchors, lists: listed?.verifiers, now, purpose: 'request' })
      verifyDecoded(signed, jwk)
      if (payload.sub !== issuer) throw invalid('The signed metadata are of another issuer.')
      const seconds = now.getTime() / 1000
      if (typeof payload.iat !== 'number' || payload.iat > seconds + LEEWAY_SECONDS)
        throw invalid('The signed metadata of the issuer are of the future.')
      if (payload.exp !== undefined && (typeof payload.exp !== 'number' || payload.exp <= seconds))
        throw invalid('The signed metadata of the issuer have expired.')
      // The chain was read, so it is an array of texts.
      return { payload, x5c: header.x5c as readonly string[] }
    } catch (error) {
      if (error instanceof IssuerKeyError)
        throw new InvalidRegistrationError(
          `The access certificate of the issuer is not trusted: ${error.message}`,
          untrustedSigner('verifiers', x5cSent),
        )
      if (error instanceof JwsError) throw invalid(`The signed metadata of the issuer are refused: ${error.message}`)
      throw error
    }
  }

  return (
    fetch: OutboundFetch,
    { credentialIssuer, issuerInfo }: DescribedMetadata,
    offered: readonly Expectation[],
  ): Promise<PartyRegistration> =>
    answering(async () => {
      if (sentCertificates(issuerInfo).length === 0) return UNREGISTERED
      const issuer = credentialIssuer.credential_issuer
      const { payload, x5c } = verified(await signedText(fetch, issuer), issuer)
      const sent = sentCertificates(payload.issuer_info)
      if (sent.length === 0) throw invalid('The signed metadata of the issuer have no registration certificate.')
      const certificates = await check(sent, x5c)
      const uncovered = offered.filter((one) => !certificates.some((certificate) => covers(certificate, one)))
      const sentences = uncovered.map(
        ({ configurationId }) =>
          `credential ${configurationId.slice(0, 100)} is of a type that the certificate does not have`,
      )
      return registrationOf(certificates, 'providesAttestations', sentences)
    })
}
