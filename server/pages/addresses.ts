import type { Config } from '../config/config.js'

type VerifierBase = Pick<Config, 'verifierBaseUrl'>
type IssuerBase = Pick<Config, 'issuerBaseUrl'>

/** The share page of an authorization request. */
export const presentPageUrl = ({ verifierBaseUrl }: VerifierBase, pageId: string): string =>
  `${verifierBaseUrl}/present/${pageId}`

/** Where a wallet sends the browser after the wallet has answered the request of that page. */
export const presentReturnUrl = (config: VerifierBase, pageId: string): string =>
  `${presentPageUrl(config, pageId)}/return`

/** The share page of an offer or an offering. */
export const receivePageUrl = ({ issuerBaseUrl }: IssuerBase, pageId: string): string =>
  `${issuerBaseUrl}/receive/${pageId}`

/** The base URL of the page at a path: pages of verifiers may be on another host. */
export const baseUrlOf = ({ issuerBaseUrl, verifierBaseUrl }: IssuerBase & VerifierBase, path: string): string =>
  path.startsWith('/present/') ? verifierBaseUrl : issuerBaseUrl
