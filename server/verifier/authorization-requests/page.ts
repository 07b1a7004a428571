import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { NewPage, PageTexts } from '../../pages/store.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'

/** A request that gets a page. */
interface RequestOfPage {
  /** The id of the request's session. */
  readonly id: string
  readonly dcqlQuery: DcqlQuery
  readonly expiresAt: Date
  readonly expectedOrigins: readonly string[] | null
}

/** The form of a credential type's name. A name of another form belongs to no type of this installation. */
const TYPE_NAME = /^\w{1,200}$/

/** Dependencies of {@link createNewRequestPage}. */
export interface NewRequestPagePorts {
  readonly formats: Pick<Formats, 'named'>
  readonly config: Installation & Pick<Config, 'verifierBaseUrl' | 'sessionRetentionDays'>
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * A share page for a request. The page exists as long as the session, which records the outcome.
 *
 * @throws 400 for a request over the Digital Credentials API that does not expect the origin of this page
 */
export type NewRequestPage = (request: RequestOfPage, texts?: PageTexts & { readonly inQrCode?: boolean }) => NewPage

export function createNewRequestPage({ formats, config, clock, newId }: NewRequestPagePorts): NewRequestPage {
  /** Types of this installation that a query may mean. The page shows the display names of these types. */
  const typeNamesOf = ({ credentials }: DcqlQuery): string[] => {
    const named = credentials.flatMap(({ format, meta }) => [...formats.named(format).querying.typesOf(meta, config)])
    return [...new Set(named)].filter((name) => TYPE_NAME.test(name))
  }

  /** Over the Digital Credentials API, a page can send requests only for its own origin. */
  const assertAsksHere = (expectedOrigins: readonly string[] | null): void => {
    const { origin } = new URL(config.verifierBaseUrl)
    if (expectedOrigins === null || expectedOrigins.includes(origin)) return
    throw errors.badRequest(`expectedOrigins must hold ${origin}, where the page is`)
  }

  return ({ id, dcqlQuery, expiresAt, expectedOrigins }, { inQrCode = false, ...texts } = {}) => {
    assertAsksHere(expectedOrigins)
    return {
      ...texts,
      id: newId(),
      verificationSessionId: id,
      typeNames: typeNamesOf(dcqlQuery),
      inQrCode,
      createdAt: clock(),
      expiresAt: new Date(expiresAt.getTime() + config.sessionRetentionDays * DAY_SECONDS * 1000),
    }
  }
}
