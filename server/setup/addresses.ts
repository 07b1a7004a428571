import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import type { Outbound } from '../outbound/guard.js'
import { inTime } from '../outbound/in-time.js'
import { OutboundError } from '../outbound/outbound-error.js'
import type { StatusListStore } from '../status-lists/store.js'
import { item, type SetupId, type SetupItem } from './item.js'

const ASK_MS = 5_000

/**
 * Limit of a document's size. Issuer metadata with many credential types are large. A different item of the checklist
 * warns about their size.
 */
const MAX_BYTES = 2_097_152

/** Token Status List §8.1. */
const STATUS_LIST = 'application/statuslist+jwt'

/** Returns the reason why an address returned nothing usable. The reason contains no part of the answer. */
const reasonOf = (error: unknown): string =>
  error instanceof OutboundError ? error.message : 'It did not answer in time.'

interface Asked {
  readonly id: SetupId
  readonly variable: string
  readonly baseUrl: string
  /** A document that this installation publishes below the base URL. */
  readonly url: string
  /** True if the answer is this document. */
  readonly isOurs: (document: Readonly<Record<string, unknown>>) => boolean
}

async function reached(
  outbound: Pick<Outbound, 'fetchJson'>,
  { id, variable, baseUrl, url, isOurs }: Asked,
): Promise<SetupItem> {
  const repair = `Check ${variable}. Check that the proxy forwards ${url} to this service.`
  try {
    const document = await inTime(outbound.fetchJson(url, { maxBytes: MAX_BYTES }), ASK_MS)
    if (typeof document !== 'object' || document === null || !isOurs(document as Record<string, unknown>)) {
      return item(id, 'failed', `${baseUrl} leads to another program, not to this installation.`, repair)
    }
  } catch (error) {
    return item(id, 'failed', `${baseUrl} could not be reached from this service. ${reasonOf(error)}`, repair)
  }
  return isLoopbackName(new URL(baseUrl).hostname)
    ? item(
        id,
        'warning',
        `${baseUrl} is this machine's own address: wallets on other devices cannot reach it.`,
        `Set ${variable} to an address that wallets can reach.`,
      )
    : item(id, 'ok', `${baseUrl} leads to this installation.`)
}

/** OpenID4VCI 1.0 §12.2.2: the well-known string is inserted between the host and the identifier's path. */
function metadataAddress(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/openid-credential-issuer${pathname === '/' ? '' : pathname}`
}

/** Dependencies of {@link createAddressChecks}. */
export interface AddressPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly outbound: Pick<Outbound, 'fetchJson' | 'fetchText'>
  /** Returns the did:web of the default verifier. */
  readonly verifierDid: () => Promise<{ readonly did: string; readonly uuid: string } | undefined>
  readonly statusLists: Pick<StatusListStore, 'overview'>
}

/**
 * Makes the checks of the installation's public addresses. They send requests to these addresses, as other programs do.
 */
export const createAddressChecks = ({ config, outbound, verifierDid, statusLists }: AddressPorts) => ({
  /** Checks that the base URLs lead to this installation: requests the documents that the installation publishes. */
  async baseUrls(): Promise<SetupItem[]> {
    const { issuerBaseUrl, verifierBaseUrl } = config
    const web = await verifierDid()
    return Promise.all([
      reached(outbound, {
        id: 'issuerBaseUrl',
        variable: 'ISSUER_BASE_URL',
        baseUrl: issuerBaseUrl,
        url: metadataAddress(issuerBaseUrl),
        isOurs: ({ credential_issuer }) => credential_issuer === issuerBaseUrl,
      }),
      reached(outbound, {
        id: 'verifierBaseUrl',
        variable: 'VERIFIER_BASE_URL',
        baseUrl: verifierBaseUrl,
        url: `${verifierBaseUrl}/${web?.uuid ?? ''}/did.json`,
        isOurs: ({ id }) => id === web?.did,
      }),
    ])
  },

  /**
   * Checks that verifiers can read the status of credentials: requests the newest status list at its public address.
   */
  async statusLists(): Promise<SetupItem> {
    const { newest, count } = await statusLists.overview()
    if (newest === null)
      return item(
        'statusLists',
        'ok',
        'There is no status list yet: the first credential creates the first status list.',
      )
    const url = `${config.issuerBaseUrl}/token-status-lists/${newest}`
    const lists = count === 1 ? 'One status list' : `${count} status lists`
    try {
      const { contentType } = await inTime(outbound.fetchText(url, { accept: STATUS_LIST }), ASK_MS)
      if (!contentType.startsWith(STATUS_LIST)) throw new OutboundError('status', 'The answer is not a status list.')
      return item('statusLists', 'ok', `${lists} can be read below ${config.issuerBaseUrl}.`)
    } catch (error) {
      return item(
        'statusLists',
        'failed',
        `${lists} cannot be read: nobody can see whether a credential is revoked. ${reasonOf(error)}`,
        `Check that the proxy forwards ${url} to this service.`,
      )
    }
  },
})
