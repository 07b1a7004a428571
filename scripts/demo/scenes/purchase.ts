/** The credential type of the demonstration. */
export const TYPE = 'ProofOfPurchase'

/** Claims of a shop about one purchase. */
export function purchase(productName: string) {
  return {
    productName,
    merchant: 'Corner Shop',
    customerName: 'Alice Example',
    purchaseDate: new Date().toISOString().slice(0, 10),
    price: { amount: 249, currency: 'EUR' },
    warrantyMonths: 24,
  }
}
