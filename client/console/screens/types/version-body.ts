import type { TypeVersion } from '../../queries/shapes.js'
import type { TypeBody } from './draft.js'

/**
 * The body of `POST /schemas` that makes the same version again. Secrets of a claims source are missing, because the
 * service does not show them.
 */
export function bodyOfVersion(version: TypeVersion): TypeBody {
  // These members are no input: the service makes them.
  const {
    id: _id,
    type: _type,
    schemaUri: _uri,
    active: _active,
    withdrawn: _withdrawn,
    issuers: _issuers,
    ...rest
  } = version
  const { createdAt: _createdAt, unpublished: _unpublished, schemaBody, claimsSource, name, ...settings } = rest
  return {
    name,
    schema: schemaBody,
    ...settings,
    ...(claimsSource === undefined
      ? {}
      : { claimsSource: { url: claimsSource.url, timeoutMs: claimsSource.timeoutMs } }),
  }
}

const LONGEST_NAME = 200

/**
 * The body of a new type with the content of a version. Its name must be new.
 *
 * @param named makes a name in wallets from the copied name
 */
export function copyOf(version: TypeVersion, named: (name: string) => string): TypeBody {
  const body = bodyOfVersion(version)
  const display = body.display?.map((entry) => ({ ...entry, name: named(entry.name) }))
  return {
    ...body,
    name: `${version.name.slice(0, LONGEST_NAME - 'Copy'.length)}Copy`,
    version: 1,
    ...(display === undefined ? {} : { display }),
  }
}
