import { writeFileSync } from 'node:fs'
import { startService, type TestService } from '../support/service.js'
import { listsFile } from '../trust/lists.js'
import { makeLeaf, makeRoot } from '../verifier/certified.js'
import { Tourist, type Visit, type Visited } from './tourist.js'

/** Starts a service that publishes a trusted list. The service of the main tour has no certificate. */
export async function startPublishing(): Promise<TestService> {
  const { privateKey, certificate } = makeLeaf(makeRoot('Root'), { subject: 'Issuer', dns: ['127.0.0.1'] })
  const keyFile = await listsFile()
  writeFileSync(keyFile, `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${certificate}`)
  const list = { name: 'issuers', kind: 'lote', signer: 'default', operator: { en: 'Ministry' }, entities: [] }
  const env = { ISSUER_X509: keyFile, PUBLISHED_TRUST_LISTS: await listsFile(list) }
  return startService({ env, maintenance: false })
}

/** Reads the published list. */
export async function publishedTour(
  service: TestService,
  before: (visit: Visit) => Promise<void>,
): Promise<readonly Visited[]> {
  const tourist = new Tourist(service, '', before)
  await tourist.go('GET', '/trust-lists/{name}', { at: { name: 'issuers' }, anonymous: true })
  return tourist.visited
}
