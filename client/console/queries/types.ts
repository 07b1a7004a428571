import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence, readDocument } from '../service.js'

/** A version of a credential type, its schema included. */
export type TypeVersion = CredenceOutputs['schemas']['read']

/** A credential type that wallets can be offered. */
export interface TypeListed {
  readonly name: string
  readonly display: readonly Display[]
}

interface Display {
  readonly name: string
  readonly locale?: string
  readonly background_color?: string
  readonly text_color?: string
}

interface IssuerMetadata {
  readonly credential_configurations_supported: Readonly<
    Record<
      string,
      { readonly format: string; readonly credential_metadata?: { readonly display?: readonly Display[] } }
    >
  >
}

const metadata = queryOptions({
  queryKey: ['types', 'metadata'],
  queryFn: async ({ signal }) =>
    (await readDocument('/.well-known/openid-credential-issuer', signal)) as IssuerMetadata,
})

/** The name of a credential's type; the ids of its configurations begin with it, and it has no hyphen. */
export const typeOfConfiguration = (id: string): string => id.split('-', 1)[0] ?? id

/** Every credential type, as wallets read of it (OpenID4VCI 1.0 §12.2.4). */
export const types = queryOptions({
  ...metadata,
  select: ({ credential_configurations_supported: all }): TypeListed[] => {
    const byName = new Map<string, TypeListed>()
    for (const [id, { credential_metadata: about }] of Object.entries(all)) {
      const name = typeOfConfiguration(id)
      byName.set(name, { name, display: about?.display ?? byName.get(name)?.display ?? [] })
    }
    return [...byName.values()]
  },
})

/** All versions of a credential type, the newest first. */
export const typeVersions = (name: string) =>
  queryOptions({
    queryKey: ['types', 'versions', name],
    queryFn: ({ signal }) => credence.schemas.versions.query({ schemaId: name }, { signal }),
  })

/** How a type can be issued, as wallets read it. */
export interface Configuration {
  readonly id: string
  readonly format: string
}

/** The credential configurations of a type. */
export const configurationsOf = (name: string) =>
  queryOptions({
    ...metadata,
    select: ({ credential_configurations_supported: all }): Configuration[] =>
      Object.entries(all)
        .filter(([id]) => typeOfConfiguration(id) === name)
        .map(([id, { format }]) => ({ id, format })),
  })
