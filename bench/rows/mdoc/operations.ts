import { measureOperations } from '../../measure/operations.js'
import { certify } from '../../wallet/certificate-files.js'
import type { World } from '../../world.js'
import type { Row } from '../row.js'
import { goalsOf } from './goals.js'
import { FORMATS, type Format, NAMESPACE, PURPOSE, SCHEMA, SUBJECT } from './licence.js'

/**
 * Rows for the cost of each format alone. They call the service's own functions in a process without HTTP and without a
 * database.
 */
export async function formatOperationRows(world: Pick<World, 'startOperations'>): Promise<Row[]> {
  const root = certify({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const uri = ['https://issuer.example']
  const leaf = certify({ subject: 'Issuer', issuer: root, keyUsage: 0x80, purposes: [PURPOSE], uri })
  const settings = {
    root: root.x5c,
    leaf: leaf.x5c,
    privateJwk: leaf.privateKey.export({ format: 'jwk' }),
    subject: SUBJECT,
    body: SCHEMA.schema,
    mdoc: SCHEMA.mdoc,
    namespace: NAMESPACE,
  }
  const target = await world.startOperations('formats.mjs', { FORMATS: JSON.stringify(settings) })
  return (['issuing', 'verifying'] as const).flatMap((kind) => {
    const nameOf = ({ what }: Format) => `${kind} alone: ${what}, 1 at once`
    return FORMATS.map((each) => ({
      name: nameOf(each),
      goals: goalsOf(kind, each, nameOf),
      measure: (seconds: number) => measureOperations(target, `${kind} ${each.format}`, 1, seconds),
    }))
  })
}
