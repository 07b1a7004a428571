import type { Config } from '../config/config.js'

type VerifierBase = Pick<Config, 'verifierBaseUrl'>
type IssuerBase = Pick<Config, 'issuerBaseUrl'>

/** The page on which a person is asked to present something. */
export const presentPageUrl = ({ verifierBaseUrl }: VerifierBase, pageId: string): string =>
  `${verifierBaseUrl}/present/${pageId}`

/** Where a wallet sends the browser back to, once it has answered the request of that page. */
export const presentReturnUrl = (config: VerifierBase, pageId: string): string =>
  `${presentPageUrl(config, pageId)}/return`

/** The page on which a person is offered something. */
export const receivePageUrl = ({ issuerBaseUrl }: IssuerBase, pageId: string): string =>
  `${issuerBaseUrl}/receive/${pageId}`

/** The base URL of the page at a path: those of verifiers may have another host. */
export const baseUrlOf = ({ issuerBaseUrl, verifierBaseUrl }: IssuerBase & VerifierBase, path: string): string =>
  path.startsWith('/present/') ? verifierBaseUrl : issuerBaseUrl
