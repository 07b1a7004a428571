import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence, keyCredence, slowCredence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

/** The key with which a record signs, with the rules for its rotation. */
export type SigningKey = CredenceOutputs['signingKeys']['list']['items'][number]
/** A key provider with its health. */
export type KeyProvider = CredenceOutputs['signingKeys']['providers']['items'][number]
export type RotatedKey = CredenceOutputs['signingKeys']['rotateIssuer']
export type KeyAlgorithm = KeyProvider['algorithms'][number]

/** The name of the place of keys that are in no key provider. */
export const DATABASE = 'database'

/** The algorithms of new keys in the database. */
const IN_DATABASE: readonly KeyAlgorithm[] = ['ES256', 'EdDSA']

/** Keys of one place: a key provider, or the database. The newest record is first. */
export const signingKeys = (provider: string) =>
  infiniteQueryOptions({
    queryKey: ['trust', 'keys', provider],
    queryFn: ({ signal, pageParam }) =>
      credence.signingKeys.list.query({ provider, ...cursorOf(pageParam) }, { signal }),
    ...paged,
    select: (pages): SigningKey[] => itemsOf(pages),
  })

/** The key providers. The service may wait for a provider, so the call is sent alone. */
export const keyProviders = queryOptions({
  queryKey: ['trust', 'key providers'],
  queryFn: async ({ signal }) => (await slowCredence.signingKeys.providers.query({}, { signal })).items,
})

/** The algorithms of new keys in a place. A provider that this process has not reached may have both. */
export function algorithmsIn(place: string, providers: readonly KeyProvider[]): readonly KeyAlgorithm[] {
  const known = providers.find(({ name }) => name === place)?.algorithms ?? IN_DATABASE
  return known.length === 0 ? IN_DATABASE : known
}

/** Gives the record of a key a new key. */
export function rotateKey(
  { kind, id }: Pick<SigningKey, 'kind' | 'id'>,
  wish: Omit<CredenceInputs['signingKeys']['rotateIssuer'], 'id'>,
): Promise<RotatedKey> {
  const input = { id, ...wish }
  return kind === 'issuer'
    ? keyCredence.signingKeys.rotateIssuer.mutate(input)
    : keyCredence.signingKeys.rotateVerifier.mutate(input)
}
