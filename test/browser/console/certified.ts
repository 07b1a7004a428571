import { afterAll } from 'vitest'
import { certificateFiles, leafOf } from '../../agent/certified.js'
import { LOOPBACK } from '../../support/wallet.js'
import { anchorFiles, makeRoot } from '../../verifier/certified.js'
import { type Driven, driven, startOpenService } from './actors.js'

const root = makeRoot('C=DE/Console')
const leaf = leafOf({ issuer: root, subject: 'C=DE/Issuer', dns: ['127.0.0.1'] })

/** A desk whose service has an issuer with a certificate and trusts its root. Mobile documents need both. */
export function certifiedDesk(): Driven {
  let files: Awaited<ReturnType<typeof certificateFiles>> | undefined
  let anchors: Awaited<ReturnType<typeof anchorFiles>> | undefined
  afterAll(async () => {
    await files?.remove()
    await anchors?.[Symbol.asyncDispose]()
  })
  return driven(async () => {
    files = await certificateFiles()
    anchors = await anchorFiles()
    return startOpenService({
      ...LOOPBACK,
      ISSUER_X509: await files.fileOf([leaf, root]),
      TRUST_ANCHORS: await anchors.write('console', root),
      TRUSTED_ISSUERS: 'self,x5c',
    })
  })
}
