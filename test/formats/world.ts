import { createFormats, FORMATS } from '../../server/formats/registry.js'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { LOOPBACK } from '../support/wallet.js'
import { toy } from './toy/format.js'

/** A service with one more format, and a credential type for it. */
export const startToyIssuer = (): Promise<Issuer> =>
  startIssuer({ formats: createFormats([...FORMATS, toy]), env: LOOPBACK })
