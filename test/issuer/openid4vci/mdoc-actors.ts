import { expect } from 'vitest'
import { type ElementPath, presentMdoc, redirectTranscript } from '../../../server/protocol/mdoc/mdoc.js'
import { certificateFiles, HTTPS, leafOf, root } from '../../agent/certified.js'
import { DOCTYPE, MAPPING, MORE, NAMESPACE, SCHEMA, SUBJECT } from '../../protocol/mdoc/actors.js'
import { failedChecks as failedChecksOf } from '../../protocol/mdoc/auth0.js'
import type { Answer, ServiceOptions } from '../../support/service.js'
import type { WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, startIssuer } from './actors.js'

export { DOCTYPE, MORE, NAMESPACE, root }

export const LICENCE = 'DrivingLicence'
export const MDOC = `${LICENCE}-mdoc`
/** The claims that are offered. */
export const ALL = [LICENCE, `${LICENCE}-sd-jwt`, MDOC]
export const CLAIMS = SUBJECT

const DOCUMENT_SIGNER = '1.0.18013.5.1.2'

/** The certificate of the issuer, directly below the root. */
export const leaf = leafOf({ issuer: root, subject: 'C=DE/Issuer', purposes: [DOCUMENT_SIGNER] })

export const licenceSchema = (members: Readonly<Record<string, unknown>> = {}) => ({
  name: LICENCE,
  version: 1,
  schema: SCHEMA,
  mdoc: MAPPING,
  ...members,
})

export const postSchema = async ({ service, authorization }: Issuer, body: unknown): Promise<Answer> =>
  service.request('POST', '/schemas', { authorization: await authorization(), body })

/** Starts an installation with ISSUER_X509, a public https address and a type with mobile documents. */
export async function startMdocIssuer(options: ServiceOptions = {}) {
  const files = await certificateFiles()
  const env = { ...HTTPS, ISSUER_X509: await files.fileOf([leaf, root]), ...options.env }
  const issuer = await startIssuer({ ...options, env })
  const posted = await postSchema(issuer, licenceSchema())
  expect(posted.status, posted.text).toBe(201)
  return {
    issuer,
    close: async () => {
      await issuer.service.close()
      await files.remove()
    },
  }
}

/** Makes an offer of licences. */
export const offerOf = (issuer: Issuer, members: Readonly<Record<string, unknown>> = {}): Promise<Answer['json']> =>
  issuer.makeOffer({ credentialConfigurationIds: ALL, credentialSubject: CLAIMS, ...members })

/** A `fetch` with which a wallet reaches the service at its public address. */
export const fetchFrom =
  ({ service }: Issuer): typeof fetch =>
  (input, init) =>
    fetch(String(input).replace(service.config.issuerBaseUrl, service.url), init)

/**
 * Finds the random values of a document's items (ISO/IEC 18013-5 §9.1.2.5). Each value has 32 bytes and follows the
 * name `random`.
 */
export function randomsOf(issuerSigned: string): string[] {
  const bytes = Buffer.from(issuerSigned, 'base64url')
  const found: string[] = []
  for (let at = bytes.indexOf('random'); at >= 0; at = bytes.indexOf('random', at + 1))
    found.push(bytes.subarray(at + 8, at + 40).toString('hex'))
  return found
}

const transcript = redirectTranscript({
  clientId: 'x509_san_dns:v.example',
  nonce: 'n-1',
  responseUri: 'https://v.example',
})
/**
 * Verifies the presentation of a mobile document with @auth0/mdl and returns the failed checks. The root is the only
 * trust anchor.
 */
export async function failedChecks(
  issuerSigned: string,
  signer: WalletActor['signer'],
  disclose: readonly ElementPath[],
): Promise<readonly string[]> {
  const response = await presentMdoc({ issuerSigned, disclose, sessionTranscript: transcript, signer })
  return failedChecksOf(response, transcript, root)
}
