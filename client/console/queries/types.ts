import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { issuerMetadata } from './metadata.js'
import { cursorOf, itemsOf, paged } from './pages.js'

/** The active version of a type, without its schema. */
export type TypeListed = CredenceOutputs['schemas']['list']['items'][number]

const MAX_LISTED = 200

/** The active version of each credential type, newest first, page by page. */
export const types = infiniteQueryOptions({
  queryKey: ['types', 'list'],
  queryFn: ({ signal, pageParam }) =>
    credence.schemas.list.query({ active: true, limit: MAX_LISTED, ...cursorOf(pageParam) }, { signal }),
  ...paged,
  select: (pages): TypeListed[] => itemsOf(pages),
})

/** The newest version of every type in one page of versions, also of withdrawn types. */
export const typeNames = queryOptions({
  queryKey: ['types', 'names'],
  queryFn: async ({ signal }) => {
    const { items, nextCursor } = await credence.schemas.list.query({ limit: MAX_LISTED }, { signal })
    const newest = new Map(items.toReversed().map((version) => [version.name, version]))
    return { types: [...newest.values()].reverse(), isWhole: nextCursor == null }
  },
})

/** All versions of a credential type, newest first. */
export const typeVersions = (name: string) =>
  queryOptions({
    queryKey: ['types', 'versions', name],
    queryFn: ({ signal }) => credence.schemas.versions.query({ schemaId: name }, { signal }),
  })

/** A credential configuration of a type, as wallets read it. */
export interface Configuration {
  readonly id: string
  readonly format: string
}

/** The credential configurations of a type (OpenID4VCI 1.0 §12.2.4). Their ids begin with its name, which has no hyphen. */
export const configurationsOf = (name: string) =>
  queryOptions({
    ...issuerMetadata,
    select: ({ credential_configurations_supported: all }): Configuration[] =>
      Object.entries(all)
        .filter(([id]) => id.split('-', 1)[0] === name)
        .map(([id, { format }]) => ({ id, format })),
  })
