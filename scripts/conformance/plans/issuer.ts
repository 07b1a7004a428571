import type { JWK } from 'jose'
import { makeCertificate, publicPem } from '../../certificates.js'
import { type Browser, newBrowser } from '../browser.js'
import { type CredentialFormat, type IssuedType, issuedType, makeTypes } from '../installation/types.js'
import type { Player, Running } from '../module.js'
import type { Column, Prepared, World } from './column.js'

/** A variant of the plans for OpenID4VCI issuers. The suite is the wallet. */
interface IssuerVariant {
  readonly grant: 'authorization_code' | 'pre_authorization_code'
  readonly begunBy: 'issuer_initiated' | 'wallet_initiated'
  readonly format: CredentialFormat
  /** Whether the credential type demands key attestations. */
  readonly attested: boolean
}

const WALLET_PROVIDER = 'https://wallet-provider.example'

/** Members of the service's metadata that the standard does not define. */
const FURTHER_MEMBERS = ['token_endpoint', 'schema_endpoint', 'offering_endpoint', 'proof_types_supported']

const ERROR_PAGE = /par-attempt|expired-request_uri|different-client/

/** Modules that take one offer twice. */
const TAKES_TWICE = /happy-flow-multiple-clients|fapi2-security-profile-final-happy-flow/

async function configurationOf({ product, material, alias }: World, type: IssuedType) {
  const attester = await makeCertificate({ name: 'Wallet provider', issuer: material.suiteRoot })
  const keyOf = (kid: string): JWK => ({ ...attester.jwk, kid })
  return {
    alias,
    description: 'Credence, issuer',
    vci: {
      credential_issuer_url: product.url,
      credential_configuration_id: type.configuration,
      allow_unexpected_credential_issuer_metadata_fields: FURTHER_MEMBERS,
    },
    client: { client_id: 'wallet-1' },
    client2: { client_id: 'wallet-2' },
    client_attestation: {
      issuer: WALLET_PROVIDER,
      attester_jwks: { keys: [keyOf('attester')] },
      key_attestation_jwks: { keys: [keyOf('attester')] },
    },
    credential: {
      trust_anchor_pem: publicPem(material.serviceRoot),
      status_list_trust_anchor_pem: publicPem(material.serviceRoot),
    },
  }
}

interface Offer {
  readonly credentialOfferUri: string
  readonly txCode?: string
}

interface Offering {
  readonly credential_issuer: string
  readonly credential_configuration_ids: readonly string[]
  readonly grants?: object
}

/** Sends offers to the module, and presses the buttons of the consent page as a person would. */
class IssuerPlayer implements Player {
  readonly #product
  readonly #type
  readonly #variant
  readonly #browser: Browser
  #given = 0
  #codes = 0
  #opened = 0
  #txCode = ''
  #lastStatus = 0

  constructor({ product, ask }: World, type: IssuedType, variant: IssuerVariant) {
    this.#product = product
    this.#type = type
    this.#variant = variant
    this.#browser = newBrowser(ask)
  }

  async act(running: Running): Promise<boolean> {
    const { exposed, urls } = running.shown
    if (asked(running, 'VCIWaitForCredentialOffer') > this.#given) {
      await this.#offer(running, String(exposed.credential_offer_endpoint))
      return true
    }
    if (asked(running, 'VCIWaitForTxCode') > this.#codes) {
      this.#codes += 1
      await this.#browser.open(String(exposed.tx_code_endpoint).replace('your_tx_code', this.#txCode))
      return true
    }
    const [url] = urls
    if (url === undefined) return false
    await running.visited(url)
    await this.#decide(running, url)
    return true
  }

  async evidence({ name }: Running): Promise<string | undefined> {
    if (!ERROR_PAGE.test(name)) return 'the module was to end without a page'
    return this.#lastStatus === 400 ? undefined : `the page had the status ${this.#lastStatus}`
  }

  async #offer(running: Running, walletUrl: string): Promise<void> {
    this.#given += 1
    const isCode = this.#variant.grant === 'authorization_code'
    if (isCode && TAKES_TWICE.test(running.name)) return this.#offering(walletUrl)
    const { credentialOfferUri, txCode = '' } = await this.#product.post<Offer>('/credential-offers', {
      credentialConfigurationIds: [this.#type.configuration],
      credentialSubject: this.#type.subject,
      walletUrl,
      ...(isCode ? { grant: 'authorization_code' } : { grant: 'pre-authorized_code', txCode: true }),
    })
    this.#txCode = txCode
    await this.#browser.open(credentialOfferUri)
  }

  /** Makes an offer by value for two wallets. */
  async #offering(walletUrl: string): Promise<void> {
    const { credential_issuer, grants } = await this.#product.post<Offering>('/api/v1/offerings', {
      credential_type: this.#type.type,
      credential_subject: this.#type.subject,
      redemption_limit: 2,
    })
    const offer = { credential_issuer, credential_configuration_ids: [this.#type.configuration], grants }
    await this.#browser.open(`${walletUrl}?${new URLSearchParams({ credential_offer: JSON.stringify(offer) })}`)
  }

  async #decide({ name, note }: Running, url: string): Promise<void> {
    this.#opened += 1
    if (this.#given === 0) await this.#offerToPerson()
    const page = await this.#browser.open(url)
    this.#lastStatus = page.status
    if (page.status >= 400) return note(`The page had the status ${page.status}.`)
    if (!page.html.includes('name="decision"')) return
    const leavesFirst = name.endsWith('ensure-reused-request-uri-prior-to-auth-completion-succeeds')
    if (leavesFirst && this.#opened === 1) return
    const decision = name.endsWith('user-rejects-authentication') ? 'decline' : 'accept'
    await this.#browser.press(page, 'decision', decision)
  }

  /** Makes an offer for the user who signs in: `local-admin`, with AUTH_DISABLED. */
  async #offerToPerson(): Promise<void> {
    await this.#product.post('/credential-offers', {
      credentialConfigurationIds: [this.#type.configuration],
      credentialSubject: this.#type.subject,
      grant: 'authorization_code',
      forSubject: 'local-admin',
    })
  }
}

/** How often the module has reached a condition, by its log. */
const asked = ({ log }: Running, condition: string) => log.filter(({ src }) => src === condition).length

async function prepare(world: World, variant: IssuerVariant): Promise<Prepared> {
  await makeTypes(world.product)
  const type = issuedType(variant.format, variant.attested)
  return {
    configuration: await configurationOf(world, type),
    newPlayer: () => new IssuerPlayer(world, type, variant),
  }
}

/** Modules wait a minute and a half until codes and requests expire. This time is longer. */
const IDLE_MS = 150_000

const FIXED = {
  client_auth_type: 'client_attestation',
  sender_constrain: 'dpop',
  fapi_request_method: 'unsigned',
  fapi_response_mode: 'plain_response',
  openid: 'plain_oauth',
}

interface IssuerColumn extends Omit<IssuerVariant, 'format'> {
  readonly name: string
  readonly heading: string
  readonly authorization: 'simple' | 'rar'
  readonly encryption: 'plain' | 'encrypted'
}

function finalColumn(column: IssuerColumn, format: CredentialFormat): Column {
  return {
    id: `issuer/${column.name}/${format}`,
    heading: column.heading,
    plan: 'oid4vci-1_0-issuer-test-plan',
    profile: 'final',
    variant: {
      ...FIXED,
      fapi_profile: 'vci',
      credential_format: format,
      authorization_request_type: column.authorization,
      vci_grant_type: column.grant,
      vci_authorization_code_flow_variant: column.begunBy,
      vci_credential_encryption: column.encryption,
    },
    idleMs: IDLE_MS,
    prepare: (world) => prepare(world, { ...column, format }),
  }
}

function haipColumn(
  column: Omit<IssuerVariant, 'format'> & { name: string; heading: string },
  format: CredentialFormat,
) {
  return {
    id: `issuer/${column.name}/${format}`,
    heading: column.heading,
    plan: 'oid4vci-1_0-issuer-haip-test-plan',
    profile: 'haip',
    variant: { credential_format: format, vci_authorization_code_flow_variant: column.begunBy },
    idleMs: IDLE_MS,
    prepare: (world) => prepare(world, { ...column, format }),
  } satisfies Column
}

const columnsOf = (format: CredentialFormat): readonly Column[] => [
  finalColumn(
    {
      name: 'offer',
      heading: 'By offer, `simple`',
      grant: 'authorization_code',
      begunBy: 'issuer_initiated',
      attested: true,
      authorization: 'simple',
      encryption: 'plain',
    },
    format,
  ),
  finalColumn(
    {
      name: 'wallet',
      heading: 'Begun by the wallet, `rar`, `encrypted`',
      grant: 'authorization_code',
      begunBy: 'wallet_initiated',
      attested: false,
      authorization: 'rar',
      encryption: 'encrypted',
    },
    format,
  ),
  finalColumn(
    {
      name: 'pre-authorized',
      heading: 'Pre-authorized',
      grant: 'pre_authorization_code',
      begunBy: 'issuer_initiated',
      attested: false,
      authorization: 'simple',
      encryption: 'plain',
    },
    format,
  ),
  haipColumn(
    {
      name: 'haip-offer',
      heading: 'HAIP, by offer',
      grant: 'authorization_code',
      begunBy: 'issuer_initiated',
      attested: true,
    },
    format,
  ),
  haipColumn(
    {
      name: 'haip-wallet',
      heading: 'HAIP, begun by the wallet',
      grant: 'authorization_code',
      begunBy: 'wallet_initiated',
      attested: false,
    },
    format,
  ),
]

export const ISSUER_COLUMNS: readonly Column[] = [...columnsOf('sd_jwt_vc'), ...columnsOf('mdoc')]
