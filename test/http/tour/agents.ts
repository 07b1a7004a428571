import { certificateFor, pemOf } from '../../agent/authority.js'
import { accessLeaf, SHOP, startRegistrar } from '../../agent/registrations/registered.js'
import { JPEG, png, svg } from '../../images/pictures.js'
import { query } from '../../support/postgres.js'
import { type Bound, SCHEMA } from './purchase.js'

/** An admin makes an issuer, a verifier, a holder, DIDs, types and images. */
export async function visitAgent({ go, service }: Bound): Promise<{ holder: string; did: string }> {
  const { id: issuerId } = await go('POST', '/agent/issuer', { body: { method: 'web', display: [{ name: 'Shop' }] } })
  await go('GET', '/agent/issuers', { query: { limit: '1' } })
  await go('GET', '/agent/issuer/{id}', { at: { id: issuerId } })
  await go('GET', '/api/v1/issuers', { query: { limit: '1' } })
  await go('GET', '/api/v1/issuers/{id}', { at: { id: issuerId } })
  const renamed = { before: [{ name: 'Shop' }], display: [{ name: 'Corner Shop', locale: 'en' }] }
  await go('POST', '/api/v1/issuers/{id}/display', { at: { id: issuerId }, body: renamed })
  await go('POST', '/api/v1/issuers/{id}/rotate', { at: { id: issuerId }, body: { algorithm: 'ES256' } })
  await go('POST', '/agent/issuer/{id}/signing', { at: { id: issuerId }, body: { signing: 'delegated' } })
  const asked = await go('GET', '/agent/issuer/{id}/certificate-request', { at: { id: issuerId } })
  const authority = { subject: 'C=DE/Issuing authority', ca: true, pathLength: 0, keyUsage: 0x04 }
  const issuerChain = pemOf(certificateFor(asked.certificateRequest, authority))
  await go('POST', '/agent/issuer/{id}/certificate', { at: { id: issuerId }, body: { chain: issuerChain } })
  const { id: verifierId } = await go('POST', '/agent/verifier', { body: { method: 'web' } })
  await go('GET', '/agent/verifiers', { query: { limit: '1' } })
  await go('GET', '/agent/verifier/{id}', { at: { id: verifierId } })
  const { certificateRequest } = await go('GET', '/agent/verifier/{id}/certificate-request', { at: { id: verifierId } })
  const chain = pemOf(certificateFor(certificateRequest, { subject: `C=DE/OI=${SHOP}/Shop` }))
  await go('POST', '/agent/verifier/{id}/certificate', { at: { id: verifierId }, body: { chain } })
  await visitRegistrations({ go }, verifierId)
  await visitIssuerRegistrations({ go, service }, issuerId)
  await go('GET', '/api/v1/verifiers', { query: { limit: '1' } })
  await go('GET', '/api/v1/verifiers/{id}', { at: { id: verifierId } })
  const named = { before: [], display: [{ name: 'Corner Shop' }] }
  await go('POST', '/api/v1/verifiers/{id}/display', { at: { id: verifierId }, body: named })
  await go('POST', '/api/v1/verifiers/{id}/rotate', { at: { id: verifierId }, body: { provider: 'database' } })
  await go('GET', '/api/v1/signing-keys', { query: { limit: '1' } })
  await go('GET', '/api/v1/key-providers')
  const web = await go('POST', '/agent/did', { body: { method: 'web' } })
  await go('GET', '/agent/dids', { query: { limit: '1' } })
  await go('GET', '/agent/did/{did}', { at: { did: web.did } })
  const uuid = String(web.did).split(':').at(-1) ?? ''
  await go('GET', '/{uuid}/did.json', { at: { uuid } })
  await go('GET', '/{uuid}/.well-known/did.json', { at: { uuid } })
  const { id: holder, did } = await go('POST', '/agent/holder', {
    body: { method: 'key', name: 'Wallet of the counter' },
  })
  await go('POST', '/holders/{holderId}/name', { at: { holderId: holder }, body: { name: 'Counter 2' } })
  await go('GET', '/agent/holders')
  const other = await go('POST', '/holders/{holderId}/dids', { at: { holderId: holder }, body: { method: 'key' } })
  await go('GET', '/holders/{holderId}/dids', { at: { holderId: holder } })
  await go('DELETE', '/holders/{holderId}/dids/{did}', { at: { holderId: holder, did: other.did } })

  const schema = await go('POST', '/schemas', { body: SCHEMA })
  const at = { schemaId: schema.id, issuerId }
  await go('GET', '/schemas/{schemaId}', { at })
  await go('GET', '/schemas/{schemaId}/versions', { at: { schemaId: SCHEMA.name } })
  await go('GET', '/api/v1/schemas', { query: { limit: '1' } })
  await go('POST', '/schemas/{schemaId}/issuers/{issuerId}', { at })
  await go('DELETE', '/schemas/{schemaId}/issuers/{issuerId}', { at })
  await go('GET', '/api/v1/schemas/{id}', { at: { id: schema.id } })
  await go('GET', '/vct/{name}', { at: { name: SCHEMA.name } })
  const display = ['svg+xml', 'png', 'jpeg', 'gif', 'webp'].map((type) => ({
    name: 'Proof of purchase',
    logo: { uri: `data:image/${type};base64,PHN2Zy8+` },
  }))
  const withdrawn = await go('POST', '/schemas', { body: { ...SCHEMA, version: 2, display } })
  for (const [position] of display.entries()) {
    const image = `${position}-logo`
    await go('GET', '/api/v1/schemas/{id}/images/{image}', { at: { id: withdrawn.id, image } })
  }
  await go('DELETE', '/schemas/{schemaId}', { at: { schemaId: withdrawn.id } })
  for (const bytes of [png(), JPEG, svg('<title>Logo</title>')]) {
    const { id } = await go('POST', '/api/v1/images', { body: { data: bytes.toString('base64') } })
    await go('GET', '/images/{id}', { at: { id } })
  }
  const { items } = await go('GET', '/api/v1/images', { query: { limit: '1' } })
  await go('DELETE', '/api/v1/images/{id}', { at: { id: items[0].id } })
  return { holder, did }
}

async function visitRegistrations({ go }: Pick<Bound, 'go'>, id: string): Promise<void> {
  const registrar = await startRegistrar()
  const certificate = await registrar.certify()
  const added = await go('POST', '/api/v1/verifiers/{id}/registration-certificates', {
    at: { id },
    body: { certificate },
  })
  await go('GET', '/api/v1/verifiers/{id}/registration-certificates', { at: { id } })
  const at = { id, certificateId: added.id }
  await go('DELETE', '/api/v1/verifiers/{id}/registration-certificates/{certificateId}', { at })
  await registrar.close()
}

/** The key of the default issuer has an access certificate meanwhile. */
async function visitIssuerRegistrations({ go, service }: Pick<Bound, 'go' | 'service'>, id: string): Promise<void> {
  const key = `id = (SELECT k.id FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id WHERE i.is_default AND k.retired_at IS NULL)`
  await query(service.databaseUrl, `UPDATE keys SET x5c = $1::json WHERE ${key}`, [
    JSON.stringify([accessLeaf(SHOP).x5c]),
  ])
  const registrar = await startRegistrar()
  const certificate = await registrar.certify({
    credentials: undefined,
    provides_attestations: [{ format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }],
  })
  const added = await go('POST', '/api/v1/issuers/{id}/registration-certificates', {
    at: { id },
    body: { certificate },
  })
  await go('GET', '/api/v1/issuers/{id}/registration-certificates', { at: { id } })
  const at = { id, certificateId: added.id }
  await go('DELETE', '/api/v1/issuers/{id}/registration-certificates/{certificateId}', { at })
  await query(service.databaseUrl, `UPDATE keys SET x5c = NULL WHERE ${key}`)
  await registrar.close()
}
