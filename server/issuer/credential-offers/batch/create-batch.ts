import { createHash, createHmac } from 'node:crypto'
import type { z } from 'zod'
import { errors, ServiceError } from '../../../api/errors.js'
import type { Caller } from '../../../auth/caller.js'
import type { Config } from '../../../config/config.js'
import { sqlStateOf } from '../../../database/errors.js'
import type { Metrics } from '../../../metrics/metrics.js'
import { receivePageUrl } from '../../../pages/addresses.js'
import type { Work } from '../../../protocol/work.js'
import type { Issuance } from '../../issuance/issuance.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { offeringFullUrl } from '../../offerings/offering-json.js'
import type { Seals } from '../../openid4vci/sealed.js'
import { CONFIDENTIAL_KEY, openConfidential } from '../../openid4vci/sessions/confidential.js'
import { newTxCode } from '../../openid4vci/tx-code.js'
import { contextOf, type PrepareOffer } from '../prepare.js'
import { type createOfferBatch, MAX_OFFERS } from './batch.contract.js'
import type { KeyedOffer, KnownOffer, OfferBatchStore } from './store.js'
import { storedKeys } from './stored-keys.js'

type Input = z.output<typeof createOfferBatch.input>
type Row = Input['rows'][number]
type Answer = z.input<typeof createOfferBatch.output>

const UNIQUE_VIOLATION = '23505'

/** Sorts the members of a JSON object, so the order of members does not matter when two rows are compared. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const textOf = ({ key: _, ...request }: Row): string => JSON.stringify(request, sorted)

/** Whether a stored hash is the hash of a request. Versions before 0.2.0 stored a hash without a key. */
const isHashOf = (stored: string, text: string, hash: string): boolean =>
  stored === hash || stored === createHash('sha256').update(text).digest('base64url')

const wordsOf = ({ messages }: ServiceError): readonly string[] =>
  typeof messages === 'string' ? [messages] : messages

const isText = (value: string | null | undefined): value is string => typeof value === 'string'

interface Judged {
  readonly made: readonly KeyedOffer[]
  readonly known: ReadonlyMap<string, KnownOffer>
  readonly wrong: Answer['errors']
}

/** Dependencies of {@link createMakeBatch}. */
export interface MakeBatchPorts {
  readonly prepare: PrepareOffer
  readonly context: Issuance['context']
  readonly store: Pick<OfferBatchStore, 'insert' | 'known' | 'batchOf'>
  readonly sealingKey: (label: string) => Uint8Array
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>
  readonly seals: Pick<Seals, 'offerName'>
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * The random source for the transaction code of an offer in a batch. The source gives the same code each time. Versions before
 * 0.2.0 stored no code, so the code of their offers is made again.
 */
export const batchRandom = (sealingKey: (label: string) => Uint8Array) => (id: string) => {
  let block = 0
  return (length: number): Uint8Array => {
    block += 1
    return createHmac('sha512', sealingKey('batch-tx-code')).update(`${id}\n${block}`).digest().subarray(0, length)
  }
}

export type MakeBatch = (caller: Caller, input: Input, work: Work) => Promise<Answer>

/**
 * Makes an offer for each row whose key has no offer yet. If one row is invalid, no offer is made.
 *
 * @throws 400 naming every invalid row
 */
export function createMakeBatch({
  prepare,
  context,
  store,
  sealingKey,
  metrics,
  config,
  seals,
  clock,
  newId,
}: MakeBatchPorts): MakeBatch {
  const randomOf = batchRandom(sealingKey)
  const codeOf = (id: string, sealed: string | undefined) =>
    openConfidential(sealingKey(CONFIDENTIAL_KEY), id, sealed).txCode

  /** Keyed, because anyone could compute a plain hash of guessed claims. */
  const hashOf = (text: string): string =>
    createHmac('sha256', sealingKey('batch-request')).update(text).digest('base64url')

  const storedKeyOf = storedKeys(sealingKey)

  /** Reads each pair of type and issuer once. */
  const contextsOf = (caller: Caller) => {
    const found = new Map<string, Promise<IssuanceContext>>()
    return (name: string, issuerId: string | undefined): Promise<IssuanceContext> => {
      const place = JSON.stringify([name, issuerId])
      const known = found.get(place) ?? contextOf(context, caller, name, issuerId)
      found.set(place, known)
      return known
    }
  }

  /** Checks every row. Writes nothing. */
  const judge = async (caller: Caller, rows: readonly Row[], work: Work): Promise<Judged> => {
    const keys = rows.map(({ key }) => key)
    // Versions before 0.2.0 stored the key itself, until the maintenance job replaces it.
    const found = await store.known(caller.sub, [...keys.map(storedKeyOf), ...keys])
    const stored = new Map(found.map((offer) => [offer.storedKey, offer]))
    const known = new Map<string, KnownOffer>()
    for (const key of keys) {
      const offer = stored.get(storedKeyOf(key)) ?? stored.get(key)
      if (offer !== undefined) known.set(key, offer)
    }
    const contextFor = contextsOf(caller)
    const made: KeyedOffer[] = []
    const wrong: Answer['errors'] = []
    for (const [row, request] of rows.entries()) {
      const { key, ...offer } = request
      const text = textOf(request)
      const requestHash = hashOf(text)
      try {
        if (keys.indexOf(key) < row) throw errors.badRequest('key must not repeat itself')
        const before = known.get(key)
        if (before !== undefined && !isHashOf(before.requestHash, text, requestHash))
          throw errors.badRequest('key has another offer already')
        if (before !== undefined) continue
        const named = { ...offer, reference: offer.reference ?? key.trim() }
        const prepared = await prepare(caller, named, work, contextFor, randomOf)
        made.push({ ...prepared, key, storedKey: storedKeyOf(key), requestHash })
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error
        wrong.push({ row, key, messages: [...wordsOf(error)] })
      }
    }
    return { made, known, wrong }
  }

  const answerOf = (
    key: string,
    {
      id,
      profile,
      walletUrl,
      txCode,
      pageId,
      linkNumber,
      sealed,
    }: Omit<KnownOffer, 'storedKey' | 'requestHash' | 'batchId'>,
    repeated: boolean,
  ): Answer['offers'][number] => ({
    key,
    credentialOfferSessionId: id,
    credentialOfferUri: offeringFullUrl(config, {
      id: seals.offerName({ offeringId: id, linkNumber }),
      profile,
      walletUrl: walletUrl ?? undefined,
    }),
    ...(txCode === null ? {} : { txCode: codeOf(id, sealed) ?? newTxCode(txCode, randomOf(id)) }),
    ...(pageId === null ? {} : { pageUrl: receivePageUrl(config, pageId) }),
    repeated,
  })

  /** The reason why a batch gets no further offers. */
  const refusalOf = async (id: string, caller: Caller) => {
    const facts = await store.batchOf(id)
    if (facts?.createdBy !== caller.sub) return errors.offerBatchNotFound()
    return facts.cancelled
      ? errors.offerBatchCancelled()
      : errors.badRequest(`batch.id names a batch that would have more than ${MAX_OFFERS} offers`)
  }

  const makeBatch: MakeBatch = async (caller, { rows, dryRun, batch }, work) => {
    const { made, known, wrong } = await judge(caller, rows, work)
    if (dryRun) return { offers: [], errors: wrong }
    if (wrong.length > 0) {
      throw errors.badRequest(
        ...wrong.flatMap(({ row, messages }) => messages.map((message) => `rows.${row}.${message}`)),
      )
    }
    const id = batch?.id ?? newId()
    try {
      const joins = { id, name: batch?.name, createdBy: caller.sub, createdAt: clock() }
      if (made.length > 0 && !(await store.insert(made, joins))) throw await refusalOf(id, caller)
    } catch (error) {
      // Another request stored the same keys at the same time. The second attempt finds these offers.
      if (sqlStateOf(error) === UNIQUE_VIOLATION) return makeBatch(caller, { rows, dryRun, batch }, work)
      throw error
    }
    for (const _ of made) metrics.offerSession('created')
    const fresh = new Map(made.map((offer) => [offer.key, offer]))
    const offers = rows.flatMap(({ key }) => {
      const before = known.get(key)
      if (before !== undefined) return [answerOf(key, before, true)]
      const offer = fresh.get(key)
      if (offer === undefined) return []
      const { id, profile, walletUrl } = offer.offering
      const { session, page } = offer
      const { txCode, sealed, linkNumber } = session
      return [answerOf(key, { id, profile, walletUrl, txCode, pageId: page?.id ?? null, linkNumber, sealed }, false)]
    })
    const batchId = made.length > 0 ? id : (rows.map(({ key }) => known.get(key)?.batchId).find(isText) ?? undefined)
    return { ...(batchId === undefined ? {} : { batchId }), offers, errors: [] }
  }

  return makeBatch
}
