import { FULLY_SPECIFIED_ALGORITHMS } from '../../../protocol/openid4vp/vp-formats.js'
import { final } from './final.js'
import type { Profile } from './profile.js'

/** The rules of HAIP 1.0 (§5, §5.1, §5.2, §5.3.2, §6.1, §6.1.1). */
export const haip: Profile = {
  ...final,
  clientIdPrefixes: ['x509_hash'],
  responseModes: ['direct_post.jwt', 'dc_api.jwt'],
  walletUrl: 'haip-vp://',
  sameDevice: true,
  hasFormat: (format) => format.haip,
  algorithms: FULLY_SPECIFIED_ALGORITHMS,
  certified: true,
  holderBound: true,
  trustedIssuers: ['self', 'x5c'],
}
