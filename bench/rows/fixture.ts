/** The credential type of all rows. */
export const TYPE = 'ProofOfPurchase'

/** The subject of every credential. */
export const SUBJECT = {
  productName: 'Espresso machine',
  merchant: 'Corner Shop',
  customerName: 'Alice Example',
  purchaseDate: '2026-03-01',
  price: { amount: 249, currency: 'EUR' },
}

/** The input that publishes the credential type of all rows. */
export const SCHEMA = {
  name: TYPE,
  version: 1,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      productName: { type: 'string', maxLength: 200 },
      merchant: { type: 'string', maxLength: 200 },
      customerName: { type: 'string', maxLength: 200 },
      purchaseDate: { type: 'string', format: 'date' },
      price: {
        type: 'object',
        properties: { amount: { type: 'number' }, currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
        required: ['amount', 'currency'],
      },
    },
    required: ['productName', 'merchant', 'purchaseDate'],
  },
}
