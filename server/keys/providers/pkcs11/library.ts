import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectDirectory } from '../../../database/migrations.js'

/** A number of the module for an object, a session or a slot. */
export type Handle = Buffer

export interface Attribute {
  readonly type: number
  readonly value?: number | boolean | string | Buffer
}

/** CKM_AES_GCM with its parameters (PKCS#11 v2.40 §2.12.3). `type` names the structure for `pkcs11js`. */
export interface GcmMechanism {
  readonly mechanism: number
  readonly parameter: {
    readonly type: number
    readonly iv: Buffer
    readonly ivBits: number
    readonly aad: Buffer
    readonly tagBits: number
  }
}

/** The functions of PKCS#11 that this service calls (PKCS#11 v2.40 §5), as the package `pkcs11js` offers them. */
export interface Cryptoki {
  load(path: string): void
  C_Initialize(options: { readonly flags: number }): void
  C_GetSlotList(tokenPresent: boolean): Handle[]
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly serialNumber: string; readonly flags: number }
  C_GetMechanismList(slot: Handle): number[]
  C_OpenSession(slot: Handle, flags: number): Handle
  C_CloseSession(session: Handle): void
  C_Login(session: Handle, userType: number, pin: string): void
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void
  C_FindObjects(session: Handle, most: number): Handle[]
  C_FindObjectsFinal(session: Handle): void
  C_GetAttributeValue(
    session: Handle,
    object: Handle,
    template: readonly Attribute[],
  ): { readonly type: number; readonly value: Buffer }[]
  C_GenerateKeyPair(
    session: Handle,
    mechanism: { readonly mechanism: number; readonly parameter?: null },
    publicTemplate: readonly Attribute[],
    privateTemplate: readonly Attribute[],
  ): { readonly publicKey: Handle; readonly privateKey: Handle }
  C_SignInit(session: Handle, mechanism: { readonly mechanism: number; readonly parameter: null }, key: Handle): void
  C_SignAsync(session: Handle, data: Buffer, signature: Buffer): Promise<Buffer>
  C_EncryptInit(session: Handle, mechanism: GcmMechanism, key: Handle): void
  C_EncryptAsync(session: Handle, data: Buffer, encrypted: Buffer): Promise<Buffer>
  C_DecryptInit(session: Handle, mechanism: GcmMechanism, key: Handle): void
  C_DecryptAsync(session: Handle, encrypted: Buffer, data: Buffer): Promise<Buffer>
}

interface Library {
  readonly PKCS11: new () => Cryptoki
}

/** The folder in which `npm run keys:pkcs11` installs the package. It is not part of the ordinary installation. */
export const packageDirectory = (): string => join(projectDirectory(), 'scripts', 'keys-pkcs11')

/** Loads the package `pkcs11js`; undefined if it is not installed. */
export function loadLibrary(): Library | undefined {
  const require = createRequire(join(packageDirectory(), 'package.json'))
  try {
    // biome-ignore lint/correctness/noUndeclaredDependencies: npm run keys:pkcs11 installs it, the ordinary installation does not.
    return require('pkcs11js') as Library
  } catch {
    return undefined
  }
}
