import type { Config } from '../../config/config.js'
import {
  asCheck,
  CredentialError,
  type IssuerKey,
  type ResolveIssuerKey,
  type StatusReference,
} from '../../protocol/credential/verification.js'
import { isSameKey, type Jwk } from '../../protocol/jose/jws.js'
import { type CredentialStatus, checkForeignStatus } from '../../protocol/status-list/foreign-status.js'
import type { Work } from '../../protocol/work.js'
import { type Publish, type StatusListForm, statusListUri } from '../../status-lists/publication.js'
import type { StatusListEntry, StatusListStore } from '../../status-lists/store.js'
import type { VerificationFetches } from './fetches.js'
import { x5cOfList, x5cOfListCwt } from './list-chain.js'
import type { Recorder } from './recorder.js'

const LIST_ID = /^[0-9a-f-]{36}$/
const MAX_INDEX = 2 ** 31

const SUSPENSIONS = '/suspension'
/** How often a status and its published list are read until they agree. */
const AGREEING_READINGS = 5

/** The inputs for reading a status: the time, and the fetches and the work budget of one verification. */
export interface StatusReading {
  readonly fetches: VerificationFetches
  readonly resolveIssuerKey: ResolveIssuerKey
  readonly now: Date
  /** Whether status lists must be signed under a chain to STATUS_TRUST_ANCHORS. Default: false. */
  readonly certifiedOnly?: boolean
  /** Pays for each list. */
  readonly work?: Work
  /** Notes the lists, if evidence is kept. */
  readonly recorder?: Recorder | undefined
}

/** A reading whose lists are noted. */
interface Recording extends Pick<StatusReading, 'resolveIssuerKey'> {
  readonly recorder: Recorder
  readonly certifiedOnly: boolean | undefined
}

/** A status list of this installation. */
interface OwnList {
  readonly form: StatusListForm
  readonly uri: string
  readonly id: string
}

/** Dependencies of {@link createStatusChecks}. */
export interface StatusPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'statusTrustAnchors'> &
    Partial<Pick<Config, 'trustAnchors' | 'listed'>>
  /** Reads an entry of a status list of this installation from the database. */
  readonly ownEntry: StatusListStore['entry']
  /** Publishes a status list of this installation, which evidence contains. */
  readonly publishOwn: Publish
}

/** Reads the status of verified credentials. */
export function createStatusChecks({ config, ownEntry, publishOwn }: StatusPorts) {
  /** The status list of this installation that a reference names; undefined for any other list. */
  const ownListOf = (form: StatusListForm, uri: string): OwnList | undefined => {
    const prefix = statusListUri(config, form, '')
    if (!uri.startsWith(prefix)) return undefined
    const id = uri.slice(prefix.length)
    if (form !== 'bitstring' || !id.endsWith(SUSPENSIONS)) return { form, uri, id }
    return { form: 'suspension', uri, id: id.slice(0, -SUSPENSIONS.length) }
  }

  /** Reads an entry of an own status list from the database at every call: no status is cached. */
  const checkedEntry = async ({ id }: OwnList, index: number, issuer: IssuerKey): Promise<StatusListEntry> => {
    if (index >= MAX_INDEX) throw new CredentialError('Status list has no such index.')
    const entry = LIST_ID.test(id) ? await ownEntry(id, index) : undefined
    if (entry === undefined) throw new CredentialError('Status list does not exist.')
    if (index >= entry.size) throw new CredentialError('Status list has no such index.')
    // A status list is valid only for credentials that its own key signed, or a document signer that this key vouches for.
    const { jwk, authority } = issuer
    const isItsKey = (key: Jwk | undefined) => key !== undefined && isSameKey(entry.publicJwk, key)
    if (!isItsKey(jwk) && !isItsKey(authority)) {
      throw new CredentialError('Status list belongs to another issuer than the credential.')
    }
    return entry
  }

  /** The status that an own status list has for an entry. The list of suspensions has no revocations, and the reverse. */
  const statusIn = ({ form }: OwnList, { revoked, suspended }: StatusListEntry): CredentialStatus => {
    if (revoked && form !== 'suspension') return 'revoked'
    return suspended && form !== 'bitstring' ? 'suspended' : 'valid'
  }

  /**
   * Notes the published form of an own status list, and the key of its document signer. The list is not older than a status that
   * was read before. Without trust anchors, only the noted key lets others verify the list later.
   */
  const noteOwn = async (
    { recorder, resolveIssuerKey, certifiedOnly }: Recording,
    { form, uri, id }: OwnList,
  ): Promise<void> => {
    const published = LIST_ID.test(id) ? await publishOwn(form, id) : undefined
    if (published === undefined) return
    const { mediaType, body } = published
    recorder.read({ kind: 'status-list', address: uri, mediaType, own: true, content: body })
    const x5c = typeof body === 'string' ? x5cOfList(body) : await x5cOfListCwt(body)
    if (x5c !== undefined && certifiedOnly !== true)
      await resolveIssuerKey({ x5c }, { iss: config.issuerBaseUrl }, 'Status list')
  }

  /**
   * The status with the published list in the evidence. List and status agree. A revocation is final, so a list of one bit needs
   * one reading of the status. Otherwise the status is the same before and after the list is published.
   */
  const recordedOwnStatus = async (
    recording: Recording,
    list: OwnList,
    index: number,
    issuer: IssuerKey,
  ): Promise<CredentialStatus> => {
    await noteOwn(recording, list)
    const entry = await checkedEntry(list, index, issuer)
    let status = statusIn(list, entry)
    if (entry.bits === 1) {
      if (status !== 'valid') await noteOwn(recording, list)
      return status
    }
    for (let reading = 0; reading < AGREEING_READINGS; reading += 1) {
      await noteOwn(recording, list)
      const after = statusIn(list, await checkedEntry(list, index, issuer))
      if (after === status) return status
      status = after
    }
    throw new CredentialError('Status changes too often.')
  }

  const statusOf = async (
    { fetches, resolveIssuerKey, now, certifiedOnly, work, recorder }: StatusReading,
    reference: StatusReference,
    issuer: IssuerKey,
  ): Promise<CredentialStatus> => {
    const [form, uri, index] =
      'uri' in reference
        ? (['token', reference.uri, reference.idx] as const)
        : (['bitstring', reference.statusListCredential, reference.statusListIndex] as const)
    const own = ownListOf(form, uri)
    if (own !== undefined) {
      if (recorder === undefined) return statusIn(own, await checkedEntry(own, index, issuer))
      const isCwt = 'asCwt' in reference && reference.asCwt === true
      return recordedOwnStatus(
        { recorder, resolveIssuerKey, certifiedOnly },
        isCwt ? { ...own, form: 'cwt' } : own,
        index,
        issuer,
      )
    }
    const noteChain = (x5c: unknown) =>
      recorder?.chained('statusLists', x5c, {
        trustAnchors: config.statusTrustAnchors,
        lists: config.listed?.status,
        now,
        withoutRoots: certifiedOnly === true,
      })
    const noted: Pick<VerificationFetches, 'fetchStatusList' | 'fetchStatusListBytes'> =
      recorder === undefined
        ? fetches
        : {
            async fetchStatusList(url, accept) {
              const text = await fetches.fetchStatusList(url, accept)
              noteChain(x5cOfList(text))
              return text
            },
            async fetchStatusListBytes(url, accept) {
              const bytes = await fetches.fetchStatusListBytes(url, accept)
              noteChain(await x5cOfListCwt(bytes))
              return bytes
            },
          }
    const source = {
      fetchText: noted.fetchStatusList,
      fetchBytes: noted.fetchStatusListBytes,
      resolveIssuerKey,
      trustAnchors: config.statusTrustAnchors,
      lists: config.listed?.status,
      // Without STATUS_TRUST_ANCHORS, both lists of roots are the same array.
      anchorsForListed: config.statusTrustAnchors !== config.trustAnchors,
      certifiedOnly,
      now,
      work,
    }
    return checkForeignStatus(source, reference, issuer)
  }

  /**
   * Reads the status entries of a verified credential and returns the first status other than `valid`.
   *
   * @throws CredentialError if a status cannot be read.
   */
  const read = async (
    reading: StatusReading,
    references: readonly StatusReference[],
    issuer: IssuerKey,
  ): Promise<CredentialStatus> => {
    for (const reference of references) {
      const status = await statusOf(reading, reference, issuer)
      if (status !== 'valid') return status
    }
    return 'valid'
  }

  return {
    read,

    /**
     * Checks every status entry of a verified credential.
     *
     * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be read.
     */
    async assertNotRevoked(...args: Parameters<typeof read>): Promise<void> {
      const status = await asCheck('status', () => read(...args))
      if (status !== 'valid') throw new CredentialError(`Credential has been ${status}.`, { check: 'revoked' })
    },
  }
}
