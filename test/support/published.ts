import { clientAuthenticationAnonymous } from '@openid4vc/oauth2'
import { type IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci'
import { TypeMetadataFormatSchema } from '@sd-jwt/sd-jwt-vc'
import { z } from 'zod'
import { installValidationMessages } from '../../server/api/validation.js'
import type { Config } from '../../server/config/config.js'

// The library changes Zod's messages for the whole process, so the service's messages are set again.
installValidationMessages()

/**
 * The longest wait for the first document. A service may hang because a test has stopped its database. Its documents
 * are then not read.
 */
const PATIENCE_MS = 5_000

/** The longest wait for a further document. The service has answered, so only a busy machine makes it wait. */
const FURTHER_MS = 60_000

/** The formats that the library knows. The library ignores the invented format of a test. */
const STANDARD: ReadonlySet<string> = new Set(['dc+sd-jwt', 'vc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'])

const zIssuer = z.object({
  credential_configurations_supported: z.record(
    z.string(),
    z.object({ format: z.string(), vct: z.string().optional() }),
  ),
})

/** A service that publishes documents. */
interface Published {
  /** The address at which the service listens. Its documents may name a different address. */
  readonly url: string
  readonly config: Pick<Config, 'issuerBaseUrl'>
}

/** Reads a document of the service. Returns undefined if the service does not return it any more. */
async function documentAt(
  address: string,
  { url, config }: Published,
  waitMs = FURTHER_MS,
): Promise<Response | undefined> {
  const { issuerBaseUrl } = config
  if (!address.startsWith(`${issuerBaseUrl}/`)) return undefined
  const answer = await fetch(`${url}${address.slice(issuerBaseUrl.length)}`, {
    signal: AbortSignal.timeout(waitMs),
  }).catch(() => undefined)
  if (answer?.ok !== true) return undefined
  // The body is read here, within the time limit.
  const text = await answer.text().catch(() => undefined)
  return text === undefined ? undefined : new Response(text, { headers: answer.headers })
}

const unused = () => Promise.reject(new Error('Reading documents needs no key.'))

/** Reads the service's issuer metadata with a library for wallets. */
function readByWallet(service: Published): Promise<IssuerMetadataResult> {
  const found = async (input: unknown) =>
    (await documentAt(String(input), service)) ?? new Response(null, { status: 404 })
  const client = new Openid4vciClient({
    callbacks: {
      fetch: found,
      hash: unused,
      signJwt: unused,
      generateRandom: () => new Uint8Array(32),
      clientAuthentication: clientAuthenticationAnonymous(),
    },
  })
  return client.resolveIssuerMetadata(service.config.issuerBaseUrl)
}

/**
 * Reads the service's documents with the libraries. Returns the error of a library, or undefined if the libraries
 * accept all documents.
 */
export const refusalOfPublished = (service: Published): Promise<unknown> =>
  readPublished(service).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

/**
 * Reads every document that a service publishes about its types, with libraries for wallets and verifiers. This runs
 * when a test closes its service. So the libraries check all types that tests make.
 *
 * @throws the error of a library
 */
export async function readPublished(service: Published): Promise<void> {
  const base = service.config.issuerBaseUrl
  const issuer = await documentAt(`${base}/.well-known/openid-credential-issuer`, service, PATIENCE_MS)
  if (issuer === undefined) return
  const { credential_configurations_supported: configurations } = zIssuer.parse(await issuer.json())
  if (Object.keys(configurations).length === 0) return
  const { credentialIssuer, knownCredentialConfigurations } = await readByWallet(service)
  const unknown = Object.keys(configurations).filter(
    (id) => STANDARD.has(configurations[id]?.format ?? '') && !(id in knownCredentialConfigurations),
  )
  if (unknown.length > 0 || credentialIssuer.credential_issuer !== base)
    throw new Error(`A wallet's library does not know the published ${unknown.join(', ')}.`)
  const types = new Set(Object.values(configurations).flatMap(({ vct }) => vct ?? []))
  for (const vct of types) TypeMetadataFormatSchema.parse(await (await documentAt(vct, service))?.json())
}
