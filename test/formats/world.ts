import { createFormats, FORMATS } from '../../server/formats/registry.js'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { LOOPBACK } from '../support/wallet.js'
import { toy } from './toy/format.js'

/** A service with one format more, and its type of credential. */
export const startToyIssuer = (): Promise<Issuer> =>
  startIssuer({ formats: createFormats([...FORMATS, toy]), env: LOOPBACK })
