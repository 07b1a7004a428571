import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { NewPage, PageTexts } from '../../pages/store.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'

/** A request that gets a page. */
interface RequestOfPage {
  /** Of its session. */
  readonly id: string
  readonly dcqlQuery: DcqlQuery
  readonly expiresAt: Date
  readonly expectedOrigins: readonly string[] | null
}

/** Names of credential types are such; what is none is no type of this installation. */
const TYPE_NAME = /^\w{1,200}$/

/** Names of the types of this installation that a query may mean: the page shows what they are called. */
function typeNamesOf({ formats, config }: Pick<Deps, 'formats' | 'config'>, { credentials }: DcqlQuery): string[] {
  const named = credentials.flatMap(({ format, meta }) => [...formats.named(format).querying.typesOf(meta, config)])
  return [...new Set(named)].filter((name) => TYPE_NAME.test(name))
}

/** A page asks by the Digital Credentials API for its own origin alone. */
function assertAsksHere({ config }: Pick<Deps, 'config'>, expectedOrigins: readonly string[] | null): void {
  const { origin } = new URL(config.verifierBaseUrl)
  if (expectedOrigins === null || expectedOrigins.includes(origin)) return
  throw errors.badRequest(`expectedOrigins must hold ${origin}, where the page is`)
}

/**
 * A page for a request. It is there as long as its session is, which says how it ended.
 *
 * @throws 400 for a request over the Digital Credentials API that expects other pages
 */
export function newPageOf(
  deps: Pick<Deps, 'formats' | 'config' | 'clock' | 'newId'>,
  { id, dcqlQuery, expiresAt, expectedOrigins }: RequestOfPage,
  { inQrCode = false, ...texts }: PageTexts & { readonly inQrCode?: boolean } = {},
): NewPage {
  assertAsksHere(deps, expectedOrigins)
  return {
    ...texts,
    id: deps.newId(),
    verificationSessionId: id,
    typeNames: typeNamesOf(deps, dcqlQuery),
    inQrCode,
    createdAt: deps.clock(),
    expiresAt: new Date(expiresAt.getTime() + deps.config.sessionRetentionDays * DAY_SECONDS * 1000),
  }
}
