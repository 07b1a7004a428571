import type { Config } from '../config/config.js'

type VerifierBase = Pick<Config, 'verifierBaseUrl'>
type IssuerBase = Pick<Config, 'issuerBaseUrl'>

/** The address of the share page of an authorization request. */
export const presentPageUrl = ({ verifierBaseUrl }: VerifierBase, pageId: string): string =>
  `${verifierBaseUrl}/present/${pageId}`

/** The address to which a wallet sends the browser after it has answered the request of this page. */
export const presentReturnUrl = (config: VerifierBase, pageId: string): string =>
  `${presentPageUrl(config, pageId)}/return`

/** The address of the share page of an offer or an offering. */
export const receivePageUrl = ({ issuerBaseUrl }: IssuerBase, pageId: string): string =>
  `${issuerBaseUrl}/receive/${pageId}`

/** The base URL of the page at a path. The pages of verifiers may have a different host than the pages of issuers. */
export const baseUrlOf = ({ issuerBaseUrl, verifierBaseUrl }: IssuerBase & VerifierBase, path: string): string =>
  path.startsWith('/present/') ? verifierBaseUrl : issuerBaseUrl
