import { makeCertificate, publicPem } from '../../certificates.js'
import { newBrowser } from '../browser.js'
import { type Player, type Running, runModule } from '../module.js'
import type { Column, World } from './column.js'
import { newHolder, ReceivingPlayer, receivingConfiguration } from './receiving.js'

/** A variant of the plans for OpenID4VP wallets. The suite is the verifier. */
interface PresentingVariant {
  readonly prefix: 'x509_hash' | 'x509_san_dns' | 'decentralized_identifier' | 'redirect_uri'
  readonly mode: 'direct_post' | 'direct_post.jwt'
}

/** Lets a hosted wallet answer the requests of the suite. */
class PresentingPlayer implements Player {
  readonly #world
  readonly #holderId
  #refusal: string | undefined

  constructor(world: World, holderId: string) {
    this.#world = world
    this.#holderId = holderId
  }

  async act({ shown, visited, note }: Running): Promise<boolean> {
    const [uri] = shown.urls
    if (uri === undefined) return false
    await visited(uri)
    const { product, ask } = this.#world
    // In a query a plus sign means a space (RFC 6749 Appendix B), but the suite does not encode the plus sign of
    // dc+sd-jwt.
    const written = uri.replace(/dc\+sd-jwt/g, 'dc%2Bsd-jwt')
    const { status, body } = await product.tried(`/holders/${this.#holderId}/process`, { uri: written })
    this.#refusal = status === 200 ? undefined : `${status} ${messageOf(body)}`
    note(this.#refusal === undefined ? 'The wallet answered.' : `The wallet refused: ${this.#refusal}`)
    if (typeof body.redirectUri === 'string') await newBrowser(ask).open(body.redirectUri)
    return true
  }

  async evidence(): Promise<string | undefined> {
    return this.#refusal === undefined ? 'the wallet has not refused' : undefined
  }
}

function messageOf(body: Readonly<Record<string, unknown>>): string {
  const { error, message } = body as { error?: { message?: string }; message?: string }
  return error?.message ?? message ?? ''
}

/**
 * Makes a hosted wallet with one credential, which the suite issues. The credential contains the wallet's key
 * (`cnf.jwk`).
 */
async function holderWithCredential(world: World): Promise<string> {
  const holder = await newHolder(world)
  const issuing = { ...world, alias: `${world.alias}-issuer` }
  const variant = {
    fapi_profile: 'vci',
    client_auth_type: 'client_attestation',
    sender_constrain: 'dpop',
    fapi_request_method: 'unsigned',
    authorization_request_type: 'simple',
    credential_format: 'sd_jwt_vc',
    vci_authorization_code_flow_variant: 'issuer_initiated',
    vci_grant_type: 'pre_authorization_code',
    vci_credential_offer_variant: 'by_value',
    vci_credential_issuance_mode: 'immediate',
    vci_credential_encryption: 'plain',
  }
  const plan = await world.suite.createPlan(
    'oid4vci-1_0-wallet-test-plan',
    variant,
    await receivingConfiguration(issuing),
  )
  const [module] = plan.modules
  if (module === undefined) throw new Error('The plan for wallets that receive has no modules.')
  const newPlayer = () =>
    new ReceivingPlayer(issuing, holder, { beginsByItself: false, isPreAuthorized: true, format: 'sd_jwt_vc' })
  const outcome = await runModule(world.suite, plan, module, newPlayer, { idleMs: 20_000, pollMs: 200 })
  if (outcome.outcome === 'PASSED' || outcome.outcome === 'WARNING') return holder
  throw new Error(`The wallet got no credential: ${[...outcome.notes, ...outcome.conditions].join(' ')}`)
}

const DCQL = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
    },
  ],
}

async function prepare(world: World, { prefix }: PresentingVariant) {
  const { material, alias, suite } = world
  const host = new URL(suite.url).hostname
  const { jwk } = await makeCertificate({ name: 'Verifier of the suite', issuer: material.suiteRoot, dns: [host] })
  const { kty, crv, x, y } = jwk
  const did = `did:jwk:${Buffer.from(JSON.stringify({ kty, crv, x, y })).toString('base64url')}`
  const holder = await holderWithCredential(world)
  const isDid = prefix === 'decentralized_identifier'
  return {
    configuration: {
      alias,
      description: 'Credence, wallet',
      server: { authorization_endpoint: 'openid4vp://authorize' },
      client: {
        ...(prefix === 'x509_san_dns' ? { client_id: host } : {}),
        ...(isDid ? { client_id: did } : {}),
        jwks: { keys: [{ ...jwk, kid: isDid ? `${did}#0` : 'verifier' }] },
        dcql: DCQL,
      },
      credential: {
        trust_anchor_pem: publicPem(material.suiteRoot),
        status_list_trust_anchor_pem: publicPem(material.suiteRoot),
      },
    },
    newPlayer: () => new PresentingPlayer(world, holder),
  }
}

const IDLE_MS = 12_000

/** A module that is only for the Digital Credentials API. */
const MULTI_SIGNED = 'oid4vp-1final-wallet-multisigned-one-invalid-signature'
/** A module that is only for `redirect_uri`. */
const OTHER_ADDRESS = 'oid4vp-1final-wallet-negative-test-response-uri-not-client-id'

function finalColumn(variant: PresentingVariant): Column {
  const { prefix, mode } = variant
  const byQuery = prefix === 'redirect_uri'
  return {
    id: `presenting/${prefix}`,
    heading: `\`${prefix}\`, ${byQuery ? '`url_query`, ' : ''}\`${mode}\``,
    plan: 'oid4vp-1final-wallet-test-plan',
    profile: 'final',
    variant: {
      vp_profile: 'plain_vp',
      credential_format: 'sd_jwt_vc',
      client_id_prefix: prefix,
      request_method: byQuery ? 'url_query' : 'request_uri_signed',
      response_mode: mode,
    },
    idleMs: IDLE_MS,
    without: byQuery ? [MULTI_SIGNED] : [MULTI_SIGNED, OTHER_ADDRESS],
    prepare: (world) => prepare(world, variant),
  }
}

export const PRESENTING_COLUMNS: readonly Column[] = [
  finalColumn({ prefix: 'x509_hash', mode: 'direct_post.jwt' }),
  finalColumn({ prefix: 'x509_san_dns', mode: 'direct_post' }),
  finalColumn({ prefix: 'decentralized_identifier', mode: 'direct_post.jwt' }),
  finalColumn({ prefix: 'redirect_uri', mode: 'direct_post.jwt' }),
  {
    id: 'presenting/haip',
    heading: 'HAIP, `direct_post.jwt`',
    plan: 'oid4vp-1final-wallet-haip-test-plan',
    profile: 'final',
    variant: { credential_format: 'sd_jwt_vc', response_mode: 'direct_post.jwt' },
    idleMs: IDLE_MS,
    prepare: (world) => prepare(world, { prefix: 'x509_hash', mode: 'direct_post.jwt' }),
  },
]
