import { count } from '../es/numbers.js'
import type { SigningKeyTexts } from './texts.js'

/** The texts in Spanish of signing keys. */
export const es: SigningKeyTexts = {
  title: 'Claves de firma',
  intro: 'Qué registro firma con qué clave y dónde está la clave.',
  database: 'Base de datos',
  databaseIntro:
    'La base de datos contiene estas claves privadas. Están cifradas si KEY_ENCRYPTION_KEY o KEY_ENCRYPTION_PROVIDER está definida.',
  kinds: {
    pkcs11: 'Módulo de seguridad de hardware (PKCS#11)',
    'aws-kms': 'AWS KMS',
    'azure-keyvault': 'Azure Key Vault',
    'google-kms': 'Google Cloud KMS',
    'vault-transit': 'Vault Transit',
  },
  noProviders: 'Ningún proveedor de claves',
  noProvidersText:
    'Un proveedor de claves es un equipo o un servicio que crea claves y firma con ellas. Las claves privadas nunca salen de él. Describa el proveedor en un archivo y asigne a KEY_PROVIDERS la ruta del archivo. El documento docs/operations/keys.md explica cada paso.',
  toSettings: 'Ir a los ajustes',
  health: 'Estado',
  up: 'funciona',
  away: 'no se puede usar',
  reasons: {
    unavailable: 'No se puede contactar con el proveedor, o está sobrecargado.',
    timeout: 'El proveedor no responde a tiempo.',
    refused:
      'El proveedor rechaza este servicio. Compruebe las credenciales del servicio. Si han cambiado, reinicie el servicio.',
    failed: 'El proveedor ha fallado por un motivo desconocido.',
  },
  effect: 'Los registros con claves aquí no pueden firmar hasta que el proveedor vuelva a funcionar.',
  since: 'Desde',
  message: 'Mensaje del servicio',
  checkedAt: 'Comprobado',
  checkAgain: 'Comprobar de nuevo',
  none: 'Ningún registro firma con una clave de aquí.',
  record: 'Registro',
  recordKinds: { issuer: 'Emisor', verifier: 'Verificador' },
  signsWith: 'Algoritmo',
  keyMade: 'Clave creada',
  reference: 'Nombre en el proveedor',
  certificate: 'Certificado',
  noCertificate: 'ninguno',
  former: 'Claves anteriores',
  formerKeys: (n: number) => `${count(n, 'clave anterior', 'claves anteriores')} para listas de estado`,
  signing: 'La clave firma',
  signings: {
    every: 'cada documento',
    delegated: 'certificados de firmantes de corta duración',
    uncertified: 'cada documento, hasta que el registro tenga un certificado',
  },
  signingFixed: 'ISSUER_SIGNING decide para el emisor predeterminado.',
  actions: 'Acciones',
  rotate: 'Rotar',
  rotateOf: {
    issuer: (name: string) => `Rotar la clave del emisor ${name}`,
    verifier: (name: string) => `Rotar la clave del verificador ${name}`,
  },
  kept: {
    'certificate-file': 'La clave pertenece a un archivo de certificado. Sustituya el archivo para rotar la clave.',
    attestation: 'La clave pertenece a VERIFIER_ATTESTATION. Sustituya la atestación para rotar la clave.',
  },
  dialog: {
    title: {
      issuer: (name: string) => `¿Rotar la clave del emisor ${name}?`,
      verifier: (name: string) => `¿Rotar la clave del verificador ${name}?`,
    },
    effects: 'Qué ocurre',
    newKey: 'La próxima firma se hace con la clave nueva.',
    didStays: 'El DID no cambia.',
    didChanges:
      'El DID cambia, porque se forma a partir de la clave. Quienes confían en el DID actual necesitan el DID nuevo.',
    certificate: 'El certificado se queda con la clave anterior. El registro necesita un certificado nuevo.',
    formerKey: 'La clave anterior sigue publicada y firma todavía sus propias listas de estado.',
    place: 'Lugar de la clave nueva',
    placeFixed: 'La configuración exige este lugar.',
    algorithm: 'Algoritmo',
    run: 'Rotar la clave',
    done: 'El registro firma ahora con la clave nueva.',
    newDid: 'DID nuevo',
    next: 'Qué hacer ahora',
    nothing: 'No tiene que hacer nada más.',
    steps: {
      'request-certificate': 'Solicite un certificado para la clave nueva.',
      'announce-did': 'Dé el DID nuevo a quienes confían en el DID anterior.',
      'keep-former-key': 'Deje la clave anterior en su lugar. Firma todavía listas de estado.',
    },
    toRecord: 'Abrir el registro',
  },
  choice: {
    title: 'Clave',
    intro: 'El registro nuevo recibe su propia clave.',
    place: 'Lugar de la clave',
    placeHint: 'La clave privada nunca sale de un proveedor de claves.',
    algorithm: 'Algoritmo',
    algorithmHint: 'Todas las carteras conocen ES256.',
    signing: 'Qué firma la clave',
    every: 'Cada documento',
    everyHint: 'Cada credencial y cada lista de estado necesita una firma de la clave.',
    delegated: 'Solo certificados de firmantes de corta duración',
    delegatedHint:
      'Firmantes en la memoria del servicio firman entonces los documentos. El registro necesita un certificado de autoridad de certificación. Hasta entonces firma su propia clave.',
  },
  certify: {
    save: 'Guardar la elección',
    saved: 'La elección está guardada. Se aplica con el próximo certificado.',
    withCertificate:
      'El certificado actual no corresponde a esta elección. La elección se aplica con un certificado nuevo. Continúe con los pasos siguientes.',
    send: {
      every:
        'Envíe la petición a una autoridad de certificación en la que confíen los verificadores. La autoridad devuelve un certificado.',
      delegated:
        'Envíe la petición a una autoridad de certificación en la que confíen los verificadores. La autoridad devuelve el certificado de una autoridad subordinada (CA:TRUE, keyCertSign).',
    },
  },
}
