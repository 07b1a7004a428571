import { count } from '../en/numbers.js'

/** The texts in English of signing keys. */
export const en = {
  title: 'Signing keys',
  intro: 'Which record signs with which key, and where the key is.',
  database: 'Database',
  databaseIntro:
    'The database holds these private keys, encrypted if KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER is set.',
  kinds: {
    pkcs11: 'Hardware security module (PKCS#11)',
    'aws-kms': 'AWS KMS',
    'azure-keyvault': 'Azure Key Vault',
    'google-kms': 'Google Cloud KMS',
    'vault-transit': 'Vault Transit',
  },
  noProviders: 'No key provider',
  noProvidersText:
    'A key provider is hardware or a service that makes keys and signs with them. The private keys never leave it. To use a provider, describe it in a file, and set KEY_PROVIDERS to the path of the file. The document docs/operations/keys.md has each step.',
  toSettings: 'Go to the settings',
  health: 'State',
  up: 'works',
  away: 'cannot be used',
  reasons: {
    unavailable: 'The provider cannot be reached, or it is overloaded.',
    timeout: 'The provider does not answer in time.',
    refused:
      'The provider refuses this service. Check the credentials of the service. If they have changed, restart the service.',
    failed: 'The provider failed for an unknown reason.',
  },
  effect: 'Records with keys here cannot sign until the provider works again.',
  since: 'Since',
  message: 'Message of the service',
  checkedAt: 'Checked',
  checkAgain: 'Check again',
  none: 'No record signs with a key here.',
  record: 'Record',
  recordKinds: { issuer: 'Issuer', verifier: 'Verifier' },
  signsWith: 'Algorithm',
  keyMade: 'Key created',
  reference: 'Name in the provider',
  certificate: 'Certificate',
  noCertificate: 'none',
  former: 'Former keys',
  formerKeys: (n: number) => `${count(n, 'former key', 'former keys')} for status lists`,
  signing: 'The key signs',
  signings: {
    every: 'every document',
    delegated: 'certificates of short-lived signers',
    uncertified: 'every document, until the record has a certificate',
  },
  signingFixed: 'ISSUER_SIGNING decides for the default issuer.',
  actions: 'Actions',
  rotate: 'Rotate',
  rotateOf: {
    issuer: (name: string) => `Rotate the key of the issuer ${name}`,
    verifier: (name: string) => `Rotate the key of the verifier ${name}`,
  },
  kept: {
    'certificate-file': 'The key belongs to a certificate file. Replace the file to rotate the key.',
    attestation: 'The key belongs to VERIFIER_ATTESTATION. Replace the attestation to rotate the key.',
  },
  dialog: {
    title: {
      issuer: (name: string) => `Rotate the key of the issuer ${name}?`,
      verifier: (name: string) => `Rotate the key of the verifier ${name}?`,
    },
    effects: 'What happens',
    newKey: 'The next signature is made with the new key.',
    didStays: 'The DID stays the same.',
    didChanges:
      'The DID changes, because it is made from the key. Everyone who trusts the present DID needs the new DID.',
    certificate: 'The certificate stays with the former key. The record needs a new certificate.',
    formerKey: 'The former key stays published, and still signs its own status lists.',
    place: 'Place of the new key',
    placeFixed: 'The configuration demands this place.',
    algorithm: 'Algorithm',
    run: 'Rotate the key',
    done: 'The record now signs with the new key.',
    newDid: 'New DID',
    next: 'What to do now',
    nothing: 'You need to do nothing more.',
    steps: {
      'request-certificate': 'Request a certificate for the new key.',
      'announce-did': 'Give the new DID to everyone who trusts the former DID.',
      'keep-former-key': 'Keep the former key where it is. It still signs status lists.',
    },
    toRecord: 'Open the record',
  },
  choice: {
    title: 'Key',
    intro: 'The new record gets a key of its own.',
    place: 'Place of the key',
    placeHint: 'The private key never leaves a key provider.',
    algorithm: 'Algorithm',
    algorithmHint: 'Every wallet knows ES256.',
    signing: 'What the key signs',
    every: 'Every document',
    everyHint: 'Each credential and status list needs one signature of the key.',
    delegated: 'Only certificates of short-lived signers',
    delegatedHint:
      'Signers in the memory of the service then sign the documents. The record needs the certificate of a certification authority. Until then its own key signs.',
  },
  certify: {
    save: 'Save the choice',
    saved: 'The choice is saved. It takes effect with the next certificate.',
    withCertificate:
      'The present certificate does not fit this choice. The choice takes effect with a new certificate. Go on with the next steps.',
    send: {
      every: 'Send the request to a certification authority that verifiers trust. The authority returns a certificate.',
      delegated:
        'Send the request to a certification authority that verifiers trust. The authority returns the certificate of a subordinate authority (CA:TRUE, keyCertSign).',
    },
  },
}
