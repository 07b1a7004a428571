import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import type { zAsk } from './checks.contract.js'

/** The formats and the address of this installation, which are needed to read a query. */
interface Reader {
  readonly formats: Pick<Formats, 'named'>
  readonly config: Pick<Config, 'issuerBaseUrl'>
}

type ShownAsk = z.input<typeof zAsk>

/** A credential query of a request without its values: they may be claims of a person. */
function shownAsk({ formats, config }: Reader, { id, format, meta, claims = [] }: CredentialQuery): ShownAsk {
  const { querying } = formats.named(format)
  return {
    credentialQueryId: id,
    format,
    types: [...new Set(querying.typesOf(meta, config))],
    claims: claims.map(({ path }) => [...querying.namesOf(path)]),
  }
}

/** The credential queries of a request, without the values that they require. */
export const shownAsks = (reader: Reader, { credentials }: DcqlQuery): ShownAsk[] =>
  credentials.map((query) => shownAsk(reader, query))
