import type { CredenceInputs } from '../../index.js'
import { credence, openFile } from '../service.js'

/** The input that orders an export. */
export type Order = CredenceInputs['exports']['create']

const orderFile = async (order: Order, signal: AbortSignal): Promise<{ id: string; response: Response }> => {
  const { id } = await credence.exports.create.mutate(order, { signal })
  return { id, response: await openFile(`/api/v1/exports/${id}/content`, signal) }
}

/** Orders an export and saves its file. @returns the name of the file */
export async function saveExport(order: Order, signal: AbortSignal): Promise<string> {
  const { id, response } = await orderFile(order, signal)
  const name = `${order.kind ?? 'person'}-${id.slice(0, 8)}.${order.format ?? 'ndjson'}`
  await saveResponse(response, name)
  return name
}

/** Saves an answer as a file. If the connection breaks before the end of the answer, nothing is saved. */
export async function saveResponse(response: Response, name: string): Promise<void> {
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** The result file of a batch of offers, as the service sends it. */
export const batchResult = (id: string, format: 'csv' | 'ndjson', signal: AbortSignal): Promise<Response> =>
  openFile(`/api/v1/offer-batches/${id}/result?format=${format}`, signal)

/** The records of one kind that the service keeps about a person. */
export interface Kept {
  readonly record: string
  readonly count: number
  /** The latest time until which one of these records is kept; undefined if `keptUntil` of these records is a rule. */
  readonly until: string | undefined
}

/** What the service keeps about a person. */
export interface PersonsData {
  readonly kept: readonly Kept[]
  /** Sentences of the service about data that it cannot find. */
  readonly cannotKnow: readonly string[]
  /** Credentials of the person, at most {@link MAX_CREDENTIALS}. */
  readonly credentialIds: readonly string[]
  /** Offers and sessions with claims, at most {@link MAX_CREDENTIALS}. */
  readonly others: readonly Erasable[]
}

/** An offer or a verification session whose claims can be erased. */
export interface Erasable {
  readonly record: 'offering' | 'verificationResult'
  readonly id: string
  /** Whether a wallet takes the offer in a session. */
  readonly hasSession: boolean
}

/** Erases the claims of an offer or a session. */
export async function eraseClaims({ record, id, hasSession }: Erasable): Promise<void> {
  if (record === 'verificationResult') await credence.verificationSessions.erase.mutate({ sessionId: id })
  else if (hasSession) await credence.erasure.credentialOffer.mutate({ id })
  // The list does not say whether the offer was made for a sign-in. The service then does not know it as an offering.
  else
    await credence.erasure.offering
      .mutate({ id })
      .catch((thrown: unknown) => credence.erasure.credentialOffer.mutate({ id }).catch(() => Promise.reject(thrown)))
}

/** Maximum number of credentials that the screen of a person remembers. */
const MAX_CREDENTIALS = 1_000

interface Line {
  readonly record: string
  readonly id?: string
  readonly keptUntil?: string
  readonly credentialSubject?: unknown
  readonly session?: object | null
  readonly cannotKnow?: readonly string[]
}

/** The offer or the session of a line, if it holds claims. */
function erasable({ record, id, credentialSubject, session = null }: Line): Erasable | undefined {
  if (id === undefined) return undefined
  if (record === 'verificationResult') return { record, id, hasSession: true }
  const isHeld = record === 'offering' && credentialSubject !== null
  return isHeld ? { record: 'offering', id, hasSession: session !== null } : undefined
}

/** Yields the lines of a text that arrives in pieces. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // The types of the DOM let a decoder write shared memory too, which the stream of a response never has.
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Counts the records about a person, by kind. The content of the records is not stored. */
export async function findPerson(subject: NonNullable<Order['subject']>, signal: AbortSignal): Promise<PersonsData> {
  const { response } = await orderFile({ subject, format: 'ndjson' }, signal)
  const kept = new Map<string, Kept>()
  const credentialIds: string[] = []
  const others: Erasable[] = []
  let cannotKnow: readonly string[] = []
  let isComplete = false
  if (response.body === null) throw new Error('The file is empty.')
  for await (const text of linesOf(response.body)) {
    const line = JSON.parse(text) as Line
    const { record, id, keptUntil = '' } = line
    if (record === 'export') cannotKnow = line.cannotKnow ?? []
    else if (record === 'end') isComplete = true
    else {
      if (record === 'credential' && id !== undefined && credentialIds.length < MAX_CREDENTIALS) credentialIds.push(id)
      const other = others.length < MAX_CREDENTIALS ? erasable(line) : undefined
      if (other !== undefined) others.push(other)
      const { count = 0, until } = kept.get(record) ?? {}
      const end = Number.isNaN(Date.parse(keptUntil)) || (until !== undefined && until > keptUntil) ? until : keptUntil
      kept.set(record, { record, count: count + 1, until: end })
    }
  }
  if (!isComplete) throw new Error('The list is not complete.')
  return { kept: [...kept.values()], cannotKnow, credentialIds, others }
}
