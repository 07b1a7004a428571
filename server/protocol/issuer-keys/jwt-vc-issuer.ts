import { z } from 'zod'
import { canonicalAlgorithm, fitsAlgorithm } from '../jose/algorithms.js'
import { isSameKey, type Jwk, readPublicJwk } from '../jose/jwk.js'
import { IssuerKeyError } from './issuer-key-error.js'

const zJwks = z.object({ keys: z.array(z.unknown()).max(100) })

/**
 * JWT VC Issuer Metadata (SD-JWT VC, "JWT VC Issuer Metadata Response"): it has either `jwks` or `jwks_uri`, not both.
 */
const zJwtVcIssuerMetadata = z.union([
  z.object({ issuer: z.string(), jwks: zJwks, jwks_uri: z.undefined().optional() }),
  z.object({ issuer: z.string(), jwks: z.undefined().optional(), jwks_uri: z.string() }),
])

/** Header members that name the signer's key. */
interface NamedKey {
  readonly kid: string | undefined
  /** The key in the header's `x5c`. It is used only if the issuer publishes this key. */
  readonly certified: Jwk | undefined
  readonly alg: unknown
}

interface Io {
  fetchJson(url: string): Promise<unknown>
  allowHttp: boolean
}

/**
 * The address of an issuer's metadata: the well-known string is inserted between host and path (SD-JWT VC, "JWT VC
 * Issuer Metadata Request"). Throws IssuerKeyError.
 */
export function jwtVcIssuerUrl(iss: string, allowHttp: boolean): string {
  const url = webUrl(iss, allowHttp)
  if (url === undefined || /[?#]/.test(iss)) {
    throw new IssuerKeyError(`The issuer ${iss} is neither a DID nor an https URL without query and fragment.`)
  }
  return `${url.origin}/.well-known/jwt-vc-issuer${url.pathname.replace(/\/$/, '')}`
}

/**
 * The key of an https issuer from its published metadata. `kid` chooses the key. Without `kid`, the signer's
 * certificate chooses the key. Without both, exactly one published key must fit `alg`. Throws IssuerKeyError.
 */
export async function jwtVcIssuerKey(iss: string, header: NamedKey, io: Io): Promise<Jwk> {
  const fetched = await fetchOrExplain(jwtVcIssuerUrl(iss, io.allowHttp), `The metadata of the issuer ${iss}`, io)
  const metadata = zJwtVcIssuerMetadata.safeParse(fetched)
  if (!metadata.success)
    throw new IssuerKeyError(`The metadata of the issuer ${iss} is malformed.`, { cause: metadata.error })
  // SD-JWT VC, "JWT VC Issuer Metadata Validation": the metadata of a different issuer must not be used.
  if (metadata.data.issuer !== iss)
    throw new IssuerKeyError(`The metadata of the issuer ${iss} is that of another issuer.`)
  const { jwks, jwks_uri } = metadata.data
  return selectKey(jwks ?? (await fetchJwks(iss, jwks_uri ?? '', io)), header, iss)
}

async function fetchJwks(iss: string, url: string, io: Io): Promise<z.output<typeof zJwks>> {
  if (webUrl(url, io.allowHttp) === undefined)
    throw new IssuerKeyError(`The jwks_uri of the issuer ${iss} is not an https URL.`)
  const jwks = zJwks.safeParse(await fetchOrExplain(url, `The key set of the issuer ${iss}`, io))
  if (!jwks.success) throw new IssuerKeyError(`The key set of the issuer ${iss} is malformed.`, { cause: jwks.error })
  return jwks.data
}

function selectKey(jwks: z.output<typeof zJwks>, header: NamedKey, iss: string): Jwk {
  const { kid, certified } = header
  const alg = canonicalAlgorithm(header.alg)
  const keys = jwks.keys
    .flatMap((key) => readPublicJwk(key) ?? [])
    .filter((jwk) => jwk.use === undefined || jwk.use === 'sig')
  const candidates = keys.filter((jwk) =>
    kid === undefined ? alg !== undefined && fitsAlgorithm(jwk, alg) : jwk.kid === kid,
  )
  if (certified !== undefined) return certifiedKey(candidates, certified, iss)
  const [jwk, ...others] = candidates
  if (jwk === undefined) throw new IssuerKeyError(`The issuer ${iss} publishes no such key.`)
  if (others.length > 0)
    throw new IssuerKeyError(`The issuer ${iss} publishes several keys that fit; kid must name one of them.`)
  return jwk
}

function certifiedKey(published: readonly Jwk[], certified: Jwk, iss: string): Jwk {
  const jwk = published.find((one) => isSameKey(one, certified))
  if (jwk === undefined) throw new IssuerKeyError(`The issuer ${iss} does not publish the key of the certificate.`)
  return jwk
}

function webUrl(value: string, allowHttp: boolean): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isWeb = url?.protocol === 'https:' || (allowHttp && url?.protocol === 'http:')
  return isWeb && url.username === '' && url.password === '' ? url : undefined
}

async function fetchOrExplain(url: string, what: string, io: Io): Promise<unknown> {
  try {
    return await io.fetchJson(url)
  } catch (cause) {
    throw new IssuerKeyError(`${what} could not be fetched.`, { cause })
  }
}
