import { expect, it } from 'vitest'
import { Work } from '../../../server/protocol/work.js'
import type { HeldStatus, StatusBounds } from '../../../server/wallet/credentials/statuses.js'
import type { Match, Matching } from '../../../server/wallet/openid4vp/match-query.js'
import { createChooseUsable } from '../../../server/wallet/presentations/choose-usable.js'
import { heldCredential } from '../held-credential.js'

const NOW = new Date('2026-03-01T12:00:00Z')
const EXPIRED = NOW.getTime() / 1000 - 1

const matchOf = (queryId: string, id: string, expiresAt?: number): Match => ({
  queryId,
  held: heldCredential(id, expiresAt),
  disclose: [],
  holderBinding: true,
})

/** Makes a choice for each query: the selected match, or the first of the best matches if none is selected. */
const matching = (...queries: readonly (readonly Match[])[]): Pick<Matching, 'choose'> => ({
  choose: (selectedId, objection = () => 0) => {
    const chosen = queries.map((matches) => {
      const least = Math.min(...matches.map(({ held }) => objection(held)))
      return matches.find(({ held }) => held.id === selectedId) ?? matches.find(({ held }) => objection(held) === least)
    })
    return chosen.every((match) => match !== undefined) ? chosen : undefined
  },
})

/**
 * Chooses when credentials have the given statuses (by default `valid`). Records the reads of statuses and their
 * limits.
 */
async function choosing(
  from: Pick<Matching, 'choose'>,
  statuses: Readonly<Record<string, HeldStatus>> = {},
  selectedId?: string,
) {
  const read: string[] = []
  const bounds: StatusBounds[] = []
  const work = new Work(1)
  const choose = createChooseUsable({
    statusReader: (given = {}) => {
      bounds.push(given)
      return async (held) => {
        read.push(...held.map(({ id }) => id))
        return held.map(({ id }) => statuses[id] ?? 'valid')
      }
    },
    clock: () => NOW,
  })
  const chosen = await choose(from, selectedId, work)
  return { ids: chosen?.map(({ held }) => held.id), read, bounds, work }
}

const three = matching(['a', 'b', 'c'].map((id) => matchOf('q', id)))

it.each<[string, Record<string, HeldStatus>, string, string[]]>([
  ['good', {}, 'a', ['a']],
  ['revoked', { a: 'revoked' }, 'b', ['a', 'b']],
  ['suspended', { a: 'suspended', b: 'revoked' }, 'c', ['a', 'b', 'c']],
  ['of no known status', { a: 'unknown' }, 'b', ['a', 'b']],
  ['as bad as all others', { a: 'revoked', b: 'suspended', c: 'expired' }, 'a', ['a', 'b', 'c']],
  ['better than revoked, unknown', { a: 'revoked', b: 'unknown', c: 'revoked' }, 'b', ['a', 'b', 'c']],
])('reads statuses until a credential is valid, if the first is %s', async (_, statuses, id, read) => {
  expect(await choosing(three, statuses)).toMatchObject({ ids: [id], read })
})

it('does not read the status of a credential that no other credential could replace', async () => {
  expect(await choosing(matching([matchOf('q', 'only')]), { only: 'revoked' })).toMatchObject({
    ids: ['only'],
    read: [],
  })
})

it('does not read the status of a credential that has expired by its own times', async () => {
  const both = matching([matchOf('q', 'old', EXPIRED), matchOf('q', 'new')])
  expect(await choosing(both)).toMatchObject({ ids: ['new'], read: ['new'] })
})

it('does not read the status of a selected credential, and presents it with any status', async () => {
  expect(await choosing(three, { b: 'revoked' }, 'b')).toMatchObject({ ids: ['b'], read: [] })
})

it('reads a credential that answers two queries once', async () => {
  const two = matching([matchOf('one', 'a'), matchOf('one', 'b')], [matchOf('two', 'a'), matchOf('two', 'b')])
  expect(await choosing(two, { a: 'revoked' })).toMatchObject({ ids: ['b', 'b'], read: ['a', 'b'] })
})

it('reads at most eight statuses, within three seconds and the work budget of the request', async () => {
  const ids = Array.from({ length: 11 }, (_, at) => `c${at}`)
  const many = matching(ids.map((id) => matchOf('q', id)))
  const { read, bounds, work } = await choosing(many, Object.fromEntries(ids.map((id) => [id, 'revoked'])))
  expect(read).toEqual(ids.slice(0, 8))
  expect(bounds).toEqual([{ totalMs: 3_000, work }])
})

it('has no answer if no credential matches', async () => {
  expect(await choosing(matching([matchOf('q', 'a')], []))).toMatchObject({ ids: undefined, read: [] })
})
