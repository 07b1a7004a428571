import type { TestService } from '../../support/service.js'
import type { Tourist } from '../tourist.js'

/** A service, and a call by its tourist. */
export interface Bound {
  readonly service: TestService
  readonly go: Tourist['go']
}

/** Names of the offers, credentials and requests. They are personal data, as claims are. */
export const NAMES = { reference: 'order-4711', label: 'Espresso machine of Ada' }
export const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
/** The type that most visits use. */
export const SCHEMA = {
  name: 'ProofOfPurchase',
  version: 1,
  title: 'Proof of purchase',
  display: [{ name: 'Proof of purchase', locale: 'en' }],
  selectivelyDisclosable: ['merchant'],
  schema: {
    type: 'object',
    properties: {
      productName: { type: 'string', title: 'Product' },
      merchant: { type: 'string' },
      purchaseDate: { type: 'string', format: 'date' },
    },
    required: ['productName', 'merchant', 'purchaseDate'],
    additionalProperties: false,
  },
}
/** A query for a credential of the type. */
export const QUERY = [
  {
    fields: [
      { path: ['$.type'], filter: { type: 'array', contains: { const: 'ProofOfPurchase' } } },
      { path: ['$.credentialSubject.productName'] },
    ],
  },
]
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** The id at the end of an address. */
export const idOf = (url: unknown) => String(url).split('/').at(-1) ?? ''
