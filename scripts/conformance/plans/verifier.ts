import { makeCertificate, publicPem } from '../../certificates.js'
import { newBrowser } from '../browser.js'
import type { Player, Running } from '../module.js'
import { type Column, suiteAddress, type World } from './column.js'

/** A variant of the plans for OpenID4VP verifiers. The suite is the wallet. */
interface VerifierVariant {
  readonly prefix: 'x509_hash' | 'x509_san_dns' | 'redirect_uri'
  readonly mode: 'direct_post' | 'direct_post.jwt'
  readonly haip: boolean
  readonly format: 'sd_jwt_vc' | 'iso_mdl'
}

const QUERIES = {
  sd_jwt_vc: {
    credentials: [
      { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] },
    ],
  },
  iso_mdl: {
    credentials: [
      {
        id: 'licence',
        format: 'mso_mdoc',
        meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
        claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
      },
    ],
  },
}

/** Modules in which the wallet sends an invalid presentation on purpose. */
const MUST_FAIL = /-invalid-|-kb-jwt-iat-/

interface Session {
  readonly state: string
  readonly errorMessage?: string
}

class VerifierPlayer implements Player {
  readonly #world
  readonly #variant
  #session: string | undefined

  constructor(world: World, variant: VerifierVariant) {
    this.#world = world
    this.#variant = variant
  }

  async act({ shown }: Running): Promise<boolean> {
    const { authorization_endpoint: walletUrl } = shown.exposed
    if (this.#session !== undefined || typeof walletUrl !== 'string') return false
    const { product, ask } = this.#world
    const { prefix, mode, haip, format } = this.#variant
    const { walletUri, verificationSessionId } = await product.post<Record<string, string>>('/authorization-requests', {
      walletUrl,
      clientIdPrefix: prefix,
      responseMode: mode,
      dcqlQuery: QUERIES[format],
      ...(haip ? { profile: 'haip', redirectUri: `${product.url}/api-docs` } : {}),
    })
    if (walletUri === undefined || verificationSessionId === undefined) throw new Error('The request has no address.')
    this.#session = verificationSessionId
    await newBrowser(ask).open(walletUri)
    return true
  }

  async evidence({ name, note }: Running): Promise<string | undefined> {
    const wanted = MUST_FAIL.test(name) ? 'Error' : 'ResponseVerified'
    const session = await this.#world.product.get<Session>(`/verification-sessions/${this.#session}`)
    if (session.errorMessage !== undefined) note(session.errorMessage)
    return session.state === wanted ? undefined : `the session is in ${session.state}: ${session.errorMessage ?? ''}`
  }
}

async function prepare(world: World, variant: VerifierVariant) {
  const { material, alias } = world
  const signer = await makeCertificate({
    name: 'Issuer of the suite',
    issuer: material.suiteRoot,
    uri: [suiteAddress(world), `${suiteAddress(world)}/`],
  })
  const host = new URL(world.product.url).hostname
  return {
    configuration: {
      alias,
      description: 'Credence, verifier',
      client: { client_id: host, request_object_trust_anchor_pem: publicPem(material.serviceRoot) },
      credential: { signing_jwk: signer.jwk },
    },
    newPlayer: () => new VerifierPlayer(world, variant),
  }
}

const IDLE_MS = 15_000

function finalColumn({ prefix, mode, format }: Omit<VerifierVariant, 'haip'>): Column {
  return {
    id: `${format === 'iso_mdl' ? 'verifier-mdl' : 'verifier'}/${prefix}/${mode}`,
    heading: `\`${prefix}\``,
    plan: 'oid4vp-1final-verifier-test-plan',
    profile: 'final',
    variant: {
      vp_profile: 'plain_vp',
      credential_format: format,
      client_id_prefix: prefix,
      request_method: prefix === 'redirect_uri' ? 'url_query' : 'request_uri_signed',
      response_mode: mode,
    },
    idleMs: IDLE_MS,
    alone: format === 'iso_mdl',
    prepare: (world) => prepare(world, { prefix, mode, format, haip: false }),
  }
}

const haipColumn = (format: VerifierVariant['format']): Column => ({
  id: `${format === 'iso_mdl' ? 'verifier-mdl' : 'verifier'}/haip`,
  heading: 'HAIP',
  plan: 'oid4vp-1final-verifier-haip-test-plan',
  profile: 'final',
  variant: { credential_format: format, response_mode: 'direct_post.jwt' },
  idleMs: IDLE_MS,
  // These columns run alone, because all modules of the suite share the object that makes the suite's licences.
  alone: format === 'iso_mdl',
  prepare: (world) => prepare(world, { prefix: 'x509_hash', mode: 'direct_post.jwt', format, haip: true }),
})

const PREFIXES = ['x509_hash', 'x509_san_dns', 'redirect_uri'] as const
const MODES = ['direct_post', 'direct_post.jwt'] as const

const columnsOf = (format: VerifierVariant['format']): readonly Column[] => [
  ...PREFIXES.flatMap((prefix) => MODES.map((mode) => finalColumn({ prefix, mode, format }))),
  haipColumn(format),
]

export const VERIFIER_COLUMNS: readonly Column[] = [...columnsOf('sd_jwt_vc'), ...columnsOf('iso_mdl')]
