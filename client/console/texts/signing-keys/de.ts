import { count } from '../de/numbers.js'
import type { SigningKeyTexts } from './texts.js'

/** The texts in German of signing keys. */
export const de: SigningKeyTexts = {
  title: 'Signaturschlüssel',
  intro: 'Welcher Eintrag mit welchem Schlüssel signiert, und wo der Schlüssel liegt.',
  database: 'Datenbank',
  databaseIntro:
    'Die Datenbank enthält diese privaten Schlüssel. Sie sind verschlüsselt, wenn KEY_ENCRYPTION_KEY oder KEY_ENCRYPTION_PROVIDER gesetzt ist.',
  kinds: {
    pkcs11: 'Hardware-Sicherheitsmodul (PKCS#11)',
    'aws-kms': 'AWS KMS',
    'azure-keyvault': 'Azure Key Vault',
    'google-kms': 'Google Cloud KMS',
    'vault-transit': 'Vault Transit',
  },
  noProviders: 'Kein Schlüsselanbieter',
  noProvidersText:
    'Ein Schlüsselanbieter ist ein Gerät oder ein Dienst, der Schlüssel erzeugt und mit ihnen signiert. Die privaten Schlüssel verlassen ihn nie. Beschreiben Sie den Anbieter in einer Datei, und setzen Sie KEY_PROVIDERS auf den Pfad der Datei. Das Dokument docs/operations/keys.md nennt jeden Schritt.',
  toSettings: 'Zu den Einstellungen',
  health: 'Zustand',
  up: 'funktioniert',
  away: 'nicht nutzbar',
  reasons: {
    unavailable: 'Der Anbieter ist nicht erreichbar oder überlastet.',
    timeout: 'Der Anbieter antwortet nicht rechtzeitig.',
    refused:
      'Der Anbieter weist diesen Dienst ab. Prüfen Sie die Zugangsdaten des Dienstes. Wenn sie sich geändert haben, starten Sie den Dienst neu.',
    failed: 'Der Anbieter ist aus unbekanntem Grund ausgefallen.',
  },
  effect: 'Einträge mit Schlüsseln hier können erst wieder signieren, wenn der Anbieter funktioniert.',
  since: 'Seit',
  message: 'Meldung des Dienstes',
  checkedAt: 'Geprüft',
  checkAgain: 'Erneut prüfen',
  none: 'Kein Eintrag signiert mit einem Schlüssel hier.',
  record: 'Eintrag',
  recordKinds: { issuer: 'Aussteller', verifier: 'Prüfer' },
  signsWith: 'Algorithmus',
  keyMade: 'Schlüssel erzeugt',
  reference: 'Name beim Anbieter',
  certificate: 'Zertifikat',
  noCertificate: 'keines',
  former: 'Frühere Schlüssel',
  formerKeys: (n: number) => `${count(n, 'früherer Schlüssel', 'frühere Schlüssel')} für Statuslisten`,
  signing: 'Der Schlüssel signiert',
  signings: {
    every: 'jedes Dokument',
    delegated: 'Zertifikate kurzlebiger Signierer',
    uncertified: 'jedes Dokument, bis der Eintrag ein Zertifikat hat',
  },
  signingFixed: 'ISSUER_SIGNING entscheidet für den Standardaussteller.',
  actions: 'Aktionen',
  rotate: 'Wechseln',
  rotateOf: {
    issuer: (name: string) => `Schlüssel des Ausstellers ${name} wechseln`,
    verifier: (name: string) => `Schlüssel des Prüfers ${name} wechseln`,
  },
  kept: {
    'certificate-file':
      'Der Schlüssel gehört zu einer Zertifikatsdatei. Ersetzen Sie die Datei, um den Schlüssel zu wechseln.',
    attestation:
      'Der Schlüssel gehört zu VERIFIER_ATTESTATION. Ersetzen Sie die Bestätigung, um den Schlüssel zu wechseln.',
  },
  dialog: {
    title: {
      issuer: (name: string) => `Schlüssel des Ausstellers ${name} wechseln?`,
      verifier: (name: string) => `Schlüssel des Prüfers ${name} wechseln?`,
    },
    effects: 'Was geschieht',
    newKey: 'Die nächste Signatur entsteht mit dem neuen Schlüssel.',
    didStays: 'Die DID bleibt gleich.',
    didChanges:
      'Die DID ändert sich, weil sie aus dem Schlüssel entsteht. Alle, die der jetzigen DID vertrauen, brauchen die neue DID.',
    certificate: 'Das Zertifikat bleibt beim früheren Schlüssel. Der Eintrag braucht ein neues Zertifikat.',
    formerKey: 'Der frühere Schlüssel bleibt veröffentlicht und signiert weiterhin seine eigenen Statuslisten.',
    place: 'Ort des neuen Schlüssels',
    placeFixed: 'Die Konfiguration verlangt diesen Ort.',
    algorithm: 'Algorithmus',
    run: 'Schlüssel wechseln',
    done: 'Der Eintrag signiert jetzt mit dem neuen Schlüssel.',
    newDid: 'Neue DID',
    next: 'Was jetzt zu tun ist',
    nothing: 'Sie müssen nichts weiter tun.',
    steps: {
      'request-certificate': 'Fordern Sie ein Zertifikat für den neuen Schlüssel an.',
      'announce-did': 'Geben Sie die neue DID allen, die der früheren DID vertrauen.',
      'keep-former-key': 'Lassen Sie den früheren Schlüssel an seinem Ort. Er signiert weiterhin Statuslisten.',
    },
    toRecord: 'Eintrag öffnen',
  },
  choice: {
    title: 'Schlüssel',
    intro: 'Der neue Eintrag erhält einen eigenen Schlüssel.',
    place: 'Ort des Schlüssels',
    placeHint: 'Der private Schlüssel verlässt einen Schlüsselanbieter nie.',
    algorithm: 'Algorithmus',
    algorithmHint: 'Jede Wallet kennt ES256.',
    signing: 'Was der Schlüssel signiert',
    every: 'Jedes Dokument',
    everyHint: 'Jeder Nachweis und jede Statusliste braucht eine Signatur des Schlüssels.',
    delegated: 'Nur Zertifikate kurzlebiger Signierer',
    delegatedHint:
      'Signierer im Speicher des Dienstes signieren dann die Dokumente. Der Eintrag braucht das Zertifikat einer Zertifizierungsstelle. Bis dahin signiert sein eigener Schlüssel.',
  },
  certify: {
    save: 'Auswahl speichern',
    saved: 'Die Auswahl ist gespeichert. Sie gilt mit dem nächsten Zertifikat.',
    withCertificate:
      'Das jetzige Zertifikat passt nicht zu dieser Auswahl. Die Auswahl gilt mit einem neuen Zertifikat. Fahren Sie mit den nächsten Schritten fort.',
    send: {
      every:
        'Senden Sie die Anforderung an eine Zertifizierungsstelle, der Prüfer vertrauen. Die Zertifizierungsstelle sendet ein Zertifikat zurück.',
      delegated:
        'Senden Sie die Anforderung an eine Zertifizierungsstelle, der Prüfer vertrauen. Die Zertifizierungsstelle sendet das Zertifikat einer untergeordneten Zertifizierungsstelle zurück (CA:TRUE, keyCertSign).',
    },
  },
}
