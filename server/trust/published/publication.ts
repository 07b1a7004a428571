import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { PublishedDefinition } from '../../config/published-lists.js'
import { keyIdOf } from '../../dids/identity.js'
import type { DocumentSigners } from '../../keys/document-signers/document-signers.js'
import type { Log } from '../../log/log.js'
import type { MaintenanceTask } from '../../maintenance/task.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import type { PublishedEntity } from '../../protocol/trust-lists/lote/write-lote.js'
import type { TrustedEntity } from '../../protocol/trust-lists/trust-list.js'
import { contentOf, hashOf, isOf } from './content.js'
import { LOTE_MEDIA_TYPE, VICAL_MEDIA_TYPE } from './published.contract.js'
import type { Issue, IssuerKey, PublishedListStore } from './store.js'

const DAY_MS = 86_400_000
/** How often the lists are compared with the records. */
const EVERY_MS = 10_000
/** A process looks for a newer issue after this time. */
const FRESH_SECONDS = 10

/** Dependencies of {@link createPublishedLists}. */
export interface PublishedListsPorts {
  readonly store: PublishedListStore
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly config: Pick<Config, 'publishedLists' | 'issuerBaseUrl'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'error'>
}

export type PublishedLists = ReturnType<typeof createPublishedLists>

/**
 * The trusted lists about the issuers of this installation. The maintenance job signs a list again with the next number if its
 * content has changed, and after half of its validity. All processes publish the stored issue. A request signs nothing.
 */
export function createPublishedLists({ store, documentSigners, config, clock, log }: PublishedListsPorts) {
  const known = new Map<string, { readonly issue: Issue | undefined; readonly until: number }>()

  const sign = async (
    definition: PublishedDefinition,
    entities: readonly TrustedEntity[],
    key: IssuerKey,
    times: Pick<Issue, 'sequenceNumber' | 'issuedAt' | 'nextUpdate'>,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const named = { keyId: key.keyId, kid: keyIdOf(key.did, key.publicJwk), x5c: key.x5c }
    const { signer, x5c } = await documentSigners.signerOf(named, 'token')
    const { kind, operator, profile, operatorAddress, schemeName, informationUri, policyUri, territory } = definition
    // Writers load much code, which a service without published lists does not need.
    if (kind === 'vical') {
      const { writeVical } = await import('../../protocol/trust-lists/vical/write-vical.js')
      const provider = operator.en ?? Object.values(operator)[0] ?? ''
      const chain = (x5c ?? []).map((one) => Buffer.from(one, 'base64'))
      return new Uint8Array(await writeVical({ provider, entities, ...times }, signer, chain))
    }
    const { writeLote } = await import('../../protocol/trust-lists/lote/write-lote.js')
    const members = {
      operator,
      entities: entities as readonly PublishedEntity[],
      ...(profile === undefined ? {} : { profile }),
      ...(operatorAddress === undefined ? {} : { operatorAddress }),
      ...(schemeName === undefined ? {} : { schemeName }),
      ...(informationUri === undefined ? {} : { informationUri }),
      ...(policyUri === undefined ? {} : { policyUri }),
      ...(territory === undefined ? {} : { territory }),
    }
    return Buffer.from(await writeLote({ ...members, ...times }, signer, x5c ?? []))
  }

  /** Signs a list if it must be signed again. @returns whether it was */
  const renewOne = async (definition: PublishedDefinition): Promise<boolean> => {
    const { name, signer, validityDays, entities: named } = definition
    const all = await store.issuerKeys([signer, ...named.flatMap(({ issuers }) => issuers)])
    const key = all.filter(isOf(signer)).find(({ isRetired }) => !isRetired)
    if (key === undefined) {
      log.error({ list: name }, 'a published trusted list cannot be signed: its signer has no certificate')
      return false
    }
    const now = clock()
    const entities = contentOf(definition, all, config.issuerBaseUrl, now)
    const contentHash = hashOf(definition, entities, key.x5c)
    const before = await store.newest(name)
    const half = (validityDays * DAY_MS) / 2
    if (before?.contentHash === contentHash && now.getTime() < before.nextUpdate.getTime() - half) return false
    // Times of lists have whole seconds.
    const issuedAt = new Date(Math.floor(now.getTime() / 1000) * 1000)
    const times = {
      sequenceNumber: (before?.sequenceNumber ?? 0) + 1,
      issuedAt,
      nextUpdate: new Date(issuedAt.getTime() + validityDays * DAY_MS),
    }
    // If two processes sign the same number at the same time, only one process stores its issue.
    return store.add(name, { contentHash, ...times, body: await sign(definition, entities, key, times) })
  }

  /** Signs all lists that must be signed again. @returns their number */
  const renew = async (): Promise<number> => {
    let count = 0
    for (const definition of config.publishedLists) if (await renewOne(definition)) count += 1
    return count
  }

  const newest = async (name: string, now: number): Promise<Issue | undefined> => {
    const cached = known.get(name)
    if (cached !== undefined && cached.until > now && cached.until <= now + FRESH_SECONDS * 1000) return cached.issue
    const issue = await store.newest(name)
    known.set(name, { issue, until: now + FRESH_SECONDS * 1000 })
    return issue
  }

  const task: MaintenanceTask = {
    name: 'sign published trusted lists',
    everyMs: EVERY_MS,
    run: async () => ({ count: await renew(), more: false, lateSeconds: 0 }),
  }

  return {
    tasks: config.publishedLists.length === 0 ? [] : [task],

    renew,

    /**
     * The newest issue of a list, with headers for caches; 304 if the caller has it.
     *
     * @throws 404 for an unknown list, 503 if there is no issue that is in force
     */
    async reply(name: string, ifNoneMatch: string | undefined): Promise<ProtocolReply> {
      const definition = config.publishedLists.find((one) => one.name === name)
      if (definition === undefined) throw errors.trustListNotFound()
      const now = clock().getTime()
      const issue = await newest(name, now)
      if (issue === undefined || issue.nextUpdate.getTime() <= now) throw errors.trustListUnsigned()
      const left = Math.floor((issue.nextUpdate.getTime() - now) / 1000)
      const etag = `"${issue.sequenceNumber}"`
      const headers = {
        etag,
        'cache-control': `public, max-age=${Math.min(60, left)}, stale-if-error=${left}`,
        'last-modified': issue.issuedAt.toUTCString(),
        'access-control-allow-origin': '*',
      }
      const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      if (tags.includes(etag) || tags.includes('*')) return { status: 304, headers }
      const type = definition.kind === 'vical' ? VICAL_MEDIA_TYPE : LOTE_MEDIA_TYPE
      const body = definition.kind === 'vical' ? issue.body : Buffer.from(issue.body).toString('utf8')
      return { status: 200, headers: { ...headers, 'content-type': type }, body }
    },
  }
}
