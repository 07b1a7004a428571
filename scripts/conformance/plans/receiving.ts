import { makeCertificate, publicPem } from '../../certificates.js'
import type { CredentialFormat } from '../installation/types.js'
import type { Player, Running } from '../module.js'
import type { Variant } from '../suite/client.js'
import { type Column, suiteAddress, type World } from './column.js'

/** The transaction code of every pre-authorized offer of the suite. */
const TX_CODE = '123456'
/** Number of copies of a batch. */
const COPIES = 3

interface Processed {
  readonly type?: string
  readonly credentials?: readonly object[]
  readonly deferred?: number
  readonly error?: { readonly message?: string }
  readonly message?: string
}

/** Describes a hosted wallet's answer to an offer in one sentence. */
function sentenceOf(status: number, body: Processed): string {
  if (status !== 200) return `The wallet answered ${status}: ${body.error?.message ?? body.message ?? ''}`
  const deferred = body.deferred === undefined ? '' : ` and waits for ${body.deferred}`
  return `The wallet took ${body.credentials?.length ?? 0}${deferred}.`
}

/** Lets a hosted wallet take the suite's offer, or lets it request the credential without an offer. */
export class ReceivingPlayer implements Player {
  readonly #world
  readonly #holderId
  readonly #beginsByItself
  readonly #isPreAuthorized
  readonly #configuration
  #begun = false

  constructor(world: World, holderId: string, { beginsByItself, isPreAuthorized, format }: ReceivingOptions) {
    this.#world = world
    this.#holderId = holderId
    this.#beginsByItself = beginsByItself
    this.#isPreAuthorized = isPreAuthorized
    this.#configuration = format === 'mdoc' ? 'eu.europa.ec.eudi.pid.mdoc.1' : 'eu.europa.ec.eudi.pid.1'
  }

  async act(running: Running): Promise<boolean> {
    if (this.#beginsByItself) return this.#begin(running)
    const [offer] = running.shown.urls
    if (offer === undefined) return false
    await running.visited(offer)
    await this.#take(running, offer)
    return true
  }

  async evidence(): Promise<string | undefined> {
    return 'a wallet that receives has no page'
  }

  /**
   * Begins a flow without an offer of the suite: the hosted wallet gets an offer that contains only the issuer and the
   * configuration (OpenID4VCI 1.0 §4.1.1).
   */
  async #begin(running: Running): Promise<boolean> {
    const { credential_issuer, credential_configuration_id_hint } = running.shown.exposed
    if (this.#begun || typeof credential_issuer !== 'string') return false
    this.#begun = true
    const id =
      typeof credential_configuration_id_hint === 'string' ? credential_configuration_id_hint : this.#configuration
    const offer = JSON.stringify({ credential_issuer, credential_configuration_ids: [id] })
    await this.#take(running, `openid-credential-offer://?${new URLSearchParams({ credential_offer: offer })}`)
    return true
  }

  async #take({ note }: Running, uri: string): Promise<void> {
    const { status, body } = await this.#world.product.tried(`/holders/${this.#holderId}/process`, {
      uri,
      copies: COPIES,
      ...(this.#isPreAuthorized ? { txCode: TX_CODE } : {}),
    })
    note(sentenceOf(status, body as Processed))
  }
}

export interface ReceivingOptions {
  readonly beginsByItself: boolean
  readonly isPreAuthorized: boolean
  readonly format: CredentialFormat
}

/**
 * Makes the suite's configuration for the plans in which the suite is the issuer and hosted wallets are the wallets.
 *
 * @param offered the credential configuration that the suite offers; by default the suite chooses it by the format
 */
export async function receivingConfiguration(world: World, offered?: string): Promise<object> {
  const { material, product, alias } = world
  const address = suiteAddress(world)
  const signer = await makeCertificate({
    name: 'Issuer of the suite',
    issuer: material.suiteRoot,
    dns: [new URL(address).hostname],
    uri: [address, `${address}/`],
  })
  // The key has its certificate, because the suite signs its status lists with this key too, and identifies itself
  // there only by x5c.
  const server = await makeCertificate({ name: 'Authorization server of the suite', issuer: material.suiteRoot })
  return {
    alias,
    description: 'Credence, wallet',
    waitTimeoutSeconds: 3,
    maxWaitForNotificationSeconds: 5,
    maxWaitForAdditionalRequestSeconds: 5,
    server: { jwks: { keys: [{ ...server.jwk, kid: 'server' }] } },
    client: { client_id: product.url, redirect_uri: `${product.url}/openid4vci/wallet` },
    credential: { signing_jwk: { ...signer.jwk, kid: 'credential' } },
    vci: {
      credential_offer_endpoint: 'openid-credential-offer://',
      ...(offered === undefined ? {} : { credential_configuration_id: offered }),
    },
    client_attestation: {
      issuer: product.url,
      trust_anchor: publicPem(material.serviceRoot),
      key_attestation_trust_anchor_pem: publicPem(material.serviceRoot),
    },
  }
}

export const newHolder = async ({ product }: World): Promise<string> =>
  (await product.post<{ readonly id: string }>('/agent/holder', { method: 'key' })).id

async function prepare(world: World, options: ReceivingOptions, offered?: string) {
  const holder = await newHolder(world)
  return {
    configuration: await receivingConfiguration(world, offered),
    newPlayer: () => new ReceivingPlayer(world, holder, options),
  }
}

const IDLE_MS = 30_000

const FIXED = {
  fapi_profile: 'vci',
  client_auth_type: 'client_attestation',
  sender_constrain: 'dpop',
  fapi_request_method: 'unsigned',
}

interface Heading {
  readonly name: string
  /** The credential configuration that the suite offers, if it is not the suite's default. */
  readonly offered?: string
  readonly heading: string
  readonly variant: Variant
}

const BY_OFFER = { vci_authorization_code_flow_variant: 'issuer_initiated', vci_grant_type: 'authorization_code' }
const SIMPLE_OFFER = {
  ...BY_OFFER,
  authorization_request_type: 'simple',
  vci_credential_offer_variant: 'by_value',
  vci_credential_issuance_mode: 'immediate',
  vci_credential_encryption: 'plain',
}

const BY_ITSELF = { vci_authorization_code_flow_variant: 'wallet_initiated', vci_grant_type: 'authorization_code' }
const PRE_AUTHORIZED = {
  vci_authorization_code_flow_variant: 'issuer_initiated',
  vci_grant_type: 'pre_authorization_code',
}

const FINAL: readonly Heading[] = [
  {
    name: 'offer',
    heading: 'By offer',
    variant: SIMPLE_OFFER,
  },
  {
    name: 'reference',
    heading: 'By offer by reference, deferred, `encrypted`',
    variant: {
      ...BY_OFFER,
      authorization_request_type: 'simple',
      vci_credential_offer_variant: 'by_reference',
      vci_credential_issuance_mode: 'deferred',
      vci_credential_encryption: 'encrypted',
    },
  },
  {
    name: 'wallet',
    heading: 'Begun by the wallet, `encrypted`',
    variant: {
      ...BY_ITSELF,
      authorization_request_type: 'simple',
      vci_credential_issuance_mode: 'immediate',
      vci_credential_encryption: 'encrypted',
    },
  },
  {
    name: 'pre-authorized',
    heading: 'Pre-authorized',
    variant: {
      ...PRE_AUTHORIZED,
      authorization_request_type: 'simple',
      vci_credential_offer_variant: 'by_value',
      vci_credential_issuance_mode: 'immediate',
      vci_credential_encryption: 'plain',
    },
  },
  {
    name: 'pre-authorized-deferred',
    heading: 'Pre-authorized, by reference, deferred',
    variant: {
      ...PRE_AUTHORIZED,
      authorization_request_type: 'simple',
      vci_credential_offer_variant: 'by_reference',
      vci_credential_issuance_mode: 'deferred',
      vci_credential_encryption: 'plain',
    },
  },
]

const HAIP: readonly Heading[] = [
  {
    name: 'haip-offer',
    heading: 'HAIP, by offer',
    variant: { vci_authorization_code_flow_variant: 'issuer_initiated', vci_credential_offer_variant: 'by_value' },
  },
  {
    name: 'haip-reference',
    heading: 'HAIP, by offer by reference',
    variant: { vci_authorization_code_flow_variant: 'issuer_initiated', vci_credential_offer_variant: 'by_reference' },
  },
  {
    name: 'haip-wallet',
    heading: 'HAIP, begun by the wallet',
    variant: { vci_authorization_code_flow_variant: 'wallet_initiated' },
  },
]

/**
 * These configurations exist for SD-JWT VCs only. Some of them demand attested keys, and the credentials of one are
 * bound to no key.
 */
const OTHERS: readonly Heading[] = [
  {
    name: 'attested',
    heading: 'Attested keys in proofs',
    variant: SIMPLE_OFFER,
    offered: 'eu.europa.ec.eudi.pid.1.jwt.keyattest',
  },
  {
    name: 'attestation',
    heading: 'Key attestation as the proof',
    variant: SIMPLE_OFFER,
    offered: 'eu.europa.ec.eudi.pid.1.attestation.keyattest',
  },
  {
    name: 'unbound',
    heading: 'Bound to no key',
    variant: SIMPLE_OFFER,
    offered: 'eu.europa.ec.eudi.pid.1.nobinding',
  },
]

function columnOf(
  { name, heading, variant, offered }: Heading,
  plan: string,
  fixed: Variant,
  format: CredentialFormat,
): Column {
  const beginsByItself = variant.vci_authorization_code_flow_variant === 'wallet_initiated'
  const isPreAuthorized = variant.vci_grant_type === 'pre_authorization_code'
  return {
    id: `receiving/${name}/${format}`,
    heading,
    plan,
    profile: 'final',
    variant: { ...fixed, ...variant, credential_format: format },
    idleMs: IDLE_MS,
    prepare: (world) => prepare(world, { beginsByItself, isPreAuthorized, format }, offered),
  }
}

const columnsOf = (format: CredentialFormat): readonly Column[] => [
  ...FINAL.map((heading) => columnOf(heading, 'oid4vci-1_0-wallet-test-plan', FIXED, format)),
  ...HAIP.map((heading) => columnOf(heading, 'oid4vci-1_0-wallet-haip-test-plan', {}, format)),
]

export const RECEIVING_COLUMNS: readonly Column[] = [
  ...columnsOf('sd_jwt_vc'),
  ...columnsOf('mdoc'),
  ...OTHERS.map((heading) => columnOf(heading, 'oid4vci-1_0-wallet-test-plan', FIXED, 'sd_jwt_vc')),
]
