import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { publicPem } from '../certificates.js'
import type { TrustWorld } from './world.js'

/** Only the owner reads files with private keys. */
const PRIVATE = 0o600
const PUBLIC = 0o644

/** The name of the file with the variables for the service. */
export const ENVIRONMENT_FILE = 'service.env'
/** The folder whose files are published. */
export const PUBLISHED_FOLDER = 'published'

/** The variables of the service, with the files of a folder. */
export function environmentOf(folder: string, listsUrl: string): Readonly<Record<string, string>> {
  const { hostname, protocol } = new URL(listsUrl)
  return {
    TRUST_LISTS: join(folder, 'trust-lists.json'),
    TRUSTED_ISSUERS: 'self,x5c',
    ISSUER_X509: join(folder, 'issuer.pem'),
    ISSUER_REGISTRATIONS: join(folder, 'issuer-registration.jwt'),
    ISSUER_REGISTRAR_DATASET: join(folder, 'issuer-dataset.json'),
    VERIFIER_X509: join(folder, 'verifier.pem'),
    VERIFIER_REGISTRATIONS: join(folder, 'verifier-registration.jwt'),
    WALLET_PROVIDER_X509: join(folder, 'wallet-provider.pem'),
    OUTBOUND_ALLOWED_HOSTS: hostname,
    ...(protocol === 'http:' ? { ALLOW_INSECURE_HTTP: 'true' } : {}),
  }
}

/** A folder that has content, and that may not be replaced. */
export class FolderExistsError extends Error {
  constructor(folder: string) {
    super(`${folder} exists. Name another folder, or add --replace to delete this folder with its keys.`)
  }
}

/**
 * Writes a world into a folder. Only the owner can read private keys.
 *
 * @param options.replace deletes the folder first, with its keys
 * @returns the absolute folder
 * @throws FolderExistsError if the folder exists and may not be replaced
 */
export async function writeWorld(
  world: TrustWorld,
  name: string,
  { listsUrl, replace = false }: { readonly listsUrl: string; readonly replace?: boolean },
): Promise<string> {
  const folder = resolve(name)
  if (existsSync(folder)) {
    // Only a folder of an earlier world is deleted, and no folder whose name was mistyped.
    if (!replace || !existsSync(join(folder, ENVIRONMENT_FILE))) throw new FolderExistsError(folder)
    await rm(folder, { recursive: true })
  }
  const write = async (file: string, content: string | Uint8Array, mode: number) => {
    const path = join(folder, file)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, content, { mode })
    await chmod(path, mode)
  }
  const { accessAuthority, issuerAuthority, walletAuthority, registrar, operator } = world
  const authorities = {
    'access-ca': accessAuthority,
    'issuer-ca': issuerAuthority,
    'wallet-provider-ca': walletAuthority,
    'registrar-ca': registrar.authority,
    registrar: registrar.certified,
    'list-operator': operator,
  }
  for (const [file, authority] of Object.entries(authorities)) {
    await write(`keys/${file}.pem`, authority.pem, PRIVATE)
    await write(`certificates/${file}.pem`, publicPem(authority), PUBLIC)
  }
  await write('verifier.pem', world.verifier.pem, PRIVATE)
  await write('issuer.pem', world.issuer.pem, PRIVATE)
  await write('wallet-provider.pem', world.walletProvider.pem, PRIVATE)
  await write('verifier-registration.jwt', `${world.verifierRegistration}\n`, PUBLIC)
  await write('issuer-registration.jwt', `${world.issuerRegistration}\n`, PUBLIC)
  await write('issuer-dataset.json', `${JSON.stringify(world.issuerDataset, null, 2)}\n`, PUBLIC)
  await write('trust-lists.json', `${JSON.stringify(world.trustLists, null, 2)}\n`, PUBLIC)
  for (const [file, list] of Object.entries(world.lists)) await write(`${PUBLISHED_FOLDER}/lists/${file}`, list, PUBLIC)
  await write(`${PUBLISHED_FOLDER}/status/registrations.jwt`, world.statusList, PUBLIC)
  const lines = Object.entries(environmentOf(folder, listsUrl)).map(([variable, value]) => `${variable}=${value}\n`)
  await write(ENVIRONMENT_FILE, lines.join(''), PUBLIC)
  return folder
}
