import { expect, it, onTestFinished } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { environmentOf } from './environment.js'
import { opensslRequestText } from './providers/foreign.js'
import { remotePlace } from './providers/places.js'
import { SUBJECTS } from './providers/subjects.js'

it('keys:rotate gives no record a new key if the provider has no keys for the algorithm of one', async () => {
  const place = await remotePlace(SUBJECTS['aws-kms'])
  await using service = await startService({ env: place.env })
  const authorization = await service.bearer('alice', { roles: ['admin'] })
  const body = { method: 'key', algorithm: 'EdDSA' }
  const { json } = await service.request('POST', '/agent/issuer', { authorization, body })
  const keys = () => query(service.databaseUrl, 'SELECT id, provider FROM keys WHERE retired_at IS NULL ORDER BY id')
  const before = await keys()
  const environment = environmentOf(service, place.env)
  await expect(keysCommand(['--provider', 'hsm'], environment)).rejects.toThrow(
    `The key of issuer ${json.id} is for EdDSA, and the key provider hsm has no keys for it. No record has a new key. Name --alg ES256.`,
  )
  expect(await keys()).toEqual(before)
  const done = await keysCommand(['--provider', 'hsm', '--alg', 'ES256'], environment)
  expect(done.at(-1)).toBe('3 records have a new key.')
})

it('prints the certificate request for an authority, before the default issuer is delegated', async () => {
  const service = await startService()
  onTestFinished(() => service.close())
  const textFor = async (...kind: readonly string[]) => {
    const [request = ''] = await keysCommand(['--certificate-request', ...kind], environmentOf(service))
    return opensslRequestText(`${request}\n`)
  }
  expect(await textFor('delegated')).toMatch(/CA:TRUE, pathlen:0/)
  expect(await textFor('every')).not.toMatch(/CA:TRUE/)
  expect(await textFor()).not.toMatch(/CA:TRUE/)
  await expect(keysCommand(['--certificate-request', 'sometimes'], environmentOf(service))).rejects.toThrow(/^Usage:/)
})
