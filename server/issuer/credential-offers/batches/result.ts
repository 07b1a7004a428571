import { csvHead, csvLine } from '../../../exports/files/csv.js'
import { namesView } from '../../../names/names.js'
import type { ReadOpenOffer } from '../again/open-offer.js'
import type { RESULT_FORMATS } from './batches.contract.js'
import type { OfferBatchesStore, OfferOfBatch, StoredBatch } from './store.js'

export type ResultFormat = (typeof RESULT_FORMATS)[number]

/** Number of offers that are read at once. */
const AT_ONCE = 500

const COLUMNS = [
  ...['key', 'reference', 'label', 'credentialOfferSessionId', 'state', 'errorMessage', 'createdAt', 'expiresAt'],
  ...['credentialOfferUri', 'pageUrl', 'txCode'],
]

const recordOf = ({ offer }: OfferOfBatch, openOffer: ReadOpenOffer) => {
  const { id, state, errorMessage, createdAt, expiresAt } = offer.session
  return {
    record: 'offer',
    ...(offer.names?.key === undefined ? {} : { key: offer.names.key }),
    ...namesView(offer.names),
    credentialOfferSessionId: id,
    state,
    ...(errorMessage === null ? {} : { errorMessage }),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...openOffer(offer),
  }
}

type ResultRecord = ReturnType<typeof recordOf>

/** The first and last parts of a file, and the text of each record. */
interface FileFormat {
  readonly first: (batch: StoredBatch) => string
  readonly line: (record: ResultRecord) => string
  readonly last: (count: number) => string
}

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`

const FORMATS: Readonly<Record<ResultFormat, FileFormat>> = {
  ndjson: {
    first: ({ id, name, createdBy, createdAt }) =>
      jsonLine({
        record: 'offer-batch',
        id,
        ...(name === null ? {} : { name }),
        createdBy,
        createdAt: createdAt.toISOString(),
      }),
    line: jsonLine,
    last: (count) => jsonLine({ record: 'end', count }),
  },
  csv: { first: () => csvHead(COLUMNS), line: (record) => csvLine(COLUMNS, record), last: () => '' },
}

/**
 * The parts of a batch's result file. The next offers are read when the client has received the earlier ones.
 *
 * @returns an iterator whose first part has been read
 */
export async function resultOf(
  batch: StoredBatch,
  format: ResultFormat,
  { store, openOffer }: { readonly store: Pick<OfferBatchesStore, 'offers'>; readonly openOffer: ReadOpenOffer },
): Promise<AsyncGenerator<string, void>> {
  const { first, line, last } = FORMATS[format]
  const next = (after: number) => store.offers(batch.id, after, AT_ONCE)
  const begun = await next(0)
  async function* parts(): AsyncGenerator<string, void> {
    yield first(batch)
    let count = 0
    for (let some = begun; some.length > 0; some = await next(some.at(-1)?.row ?? 0)) {
      count += some.length
      yield some.map((each) => line(recordOf(each, openOffer))).join('')
    }
    yield last(count)
  }
  return parts()
}
