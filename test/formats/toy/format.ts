import type { CredentialFormat } from '../../../server/formats/format.js'
import { holding } from './holding.js'
import { issuing } from './issuing.js'
import { querying } from './querying.js'
import { verifying } from './verifying.js'

/** A credential format that no standard defines. The service has no code for it. */
export const toy: CredentialFormat = { name: 'toy', haip: false, issuing, verifying, querying, holding }
