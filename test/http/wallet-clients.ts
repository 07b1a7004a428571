import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A wallet with a trusted provider, so that the service issues challenges. */
export function walletClients(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'credence-wallets-')), 'wallets.json')
  const jwk = {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
    kid: 'key-1',
  }
  const attestation = { iss: 'https://provider.example', jwks: { keys: [jwk] } }
  const redirect_uris = ['https://wallet.example.org/callback']
  writeFileSync(file, JSON.stringify([{ client_id: 'attested-wallet', redirect_uris, attestation }]))
  return file
}
