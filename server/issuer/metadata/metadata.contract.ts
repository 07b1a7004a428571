import { z } from 'zod'
import { route } from '../../contract.js'

const zJsonObject = z.record(z.string(), z.unknown())
const zDisplay = z.object({ name: z.string(), locale: z.string().optional() })

/** Issuer metadata as the interface and OpenID4VCI 1.0 §12.2.4 have it. */
export const issuerMetadata = {
  meta: route('GET', '/.well-known/openid-credential-issuer', {
    tag: 'Metadata',
    summary: 'Issuer metadata',
    access: 'public',
  }),
  input: z.object({}),
  output: z.object({
    credential_issuer: z.url(),
    schema_endpoint: z.url(),
    offering_endpoint: z.url(),
    authorization_servers: z.array(z.url()),
    display: z.array(zDisplay).optional(),
    credential_configurations_supported: z.record(z.string(), zJsonObject),
    proof_types_supported: z.object({ jwt: z.object({ proof_signing_alg_values_supported: z.array(z.string()) }) }),
  }),
}
