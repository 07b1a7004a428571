import { z } from 'zod'
import { zRoots } from '../../agent/shown-certificate.js'
import { route } from '../../api/contract.js'

export const readWalletTrust = {
  meta: route('GET', '/api/v1/trust/wallets', {
    tag: 'Trust',
    summary: 'Read the trusted wallet providers',
    description:
      'The roots of WALLET_TRUST_ANCHORS, and the providers of WALLET_CLIENTS, whose attestations are trusted by their keys.',
    access: 'issuerOperator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({
    providers: z.array(z.object({ clientId: z.string(), issuer: z.string() })),
    roots: zRoots,
  }),
}
