import { count } from '../it/numbers.js'
import type { SigningKeyTexts } from './texts.js'

/** The texts in Italian of signing keys. */
export const it: SigningKeyTexts = {
  title: 'Chiavi di firma',
  intro: 'Quale voce firma con quale chiave, e dove si trova la chiave.',
  database: 'Database',
  databaseIntro:
    'Il database contiene queste chiavi private. Sono cifrate se KEY_ENCRYPTION_KEY o KEY_ENCRYPTION_PROVIDER è impostata.',
  kinds: {
    pkcs11: 'Modulo di sicurezza hardware (PKCS#11)',
    'aws-kms': 'AWS KMS',
    'azure-keyvault': 'Azure Key Vault',
    'google-kms': 'Google Cloud KMS',
    'vault-transit': 'Vault Transit',
  },
  noProviders: 'Nessun fornitore di chiavi',
  noProvidersText:
    'Un fornitore di chiavi è un dispositivo o un servizio che crea chiavi e firma con esse. Le chiavi private non lo lasciano mai. Descrivere il fornitore in un file e impostare KEY_PROVIDERS sul percorso del file. Il documento docs/operations/keys.md spiega ogni passo.',
  toSettings: 'Vai alle impostazioni',
  health: 'Stato',
  up: 'funziona',
  away: 'non utilizzabile',
  reasons: {
    unavailable: 'Il fornitore non è raggiungibile o è sovraccarico.',
    timeout: 'Il fornitore non risponde in tempo.',
    refused:
      'Il fornitore rifiuta questo servizio. Controllare le credenziali del servizio. Se sono cambiate, riavviare il servizio.',
    failed: 'Il fornitore ha avuto un errore di causa sconosciuta.',
  },
  effect: 'Le voci con chiavi qui non possono firmare finché il fornitore non funziona di nuovo.',
  since: 'Da',
  message: 'Messaggio del servizio',
  checkedAt: 'Controllato',
  checkAgain: 'Controlla di nuovo',
  none: 'Nessuna voce firma con una chiave qui.',
  record: 'Voce',
  recordKinds: { issuer: 'Emittente', verifier: 'Verificatore' },
  signsWith: 'Algoritmo',
  keyMade: 'Chiave creata',
  reference: 'Nome presso il fornitore',
  certificate: 'Certificato',
  noCertificate: 'nessuno',
  former: 'Chiavi precedenti',
  formerKeys: (n: number) => `${count(n, 'chiave precedente', 'chiavi precedenti')} per liste di stato`,
  signing: 'La chiave firma',
  signings: {
    every: 'ogni documento',
    delegated: 'certificati di firmatari di breve durata',
    uncertified: 'ogni documento, finché la voce non ha un certificato',
  },
  signingFixed: 'ISSUER_SIGNING decide per l’emittente predefinito.',
  actions: 'Azioni',
  rotate: 'Ruota',
  rotateOf: {
    issuer: (name: string) => `Ruota la chiave dell’emittente ${name}`,
    verifier: (name: string) => `Ruota la chiave del verificatore ${name}`,
  },
  kept: {
    'certificate-file': 'La chiave appartiene a un file di certificato. Sostituire il file per ruotare la chiave.',
    attestation: 'La chiave appartiene a VERIFIER_ATTESTATION. Sostituire l’attestazione per ruotare la chiave.',
  },
  dialog: {
    title: {
      issuer: (name: string) => `Ruotare la chiave dell’emittente ${name}?`,
      verifier: (name: string) => `Ruotare la chiave del verificatore ${name}?`,
    },
    effects: 'Che cosa succede',
    newKey: 'La prossima firma è fatta con la nuova chiave.',
    didStays: 'Il DID resta lo stesso.',
    didChanges: 'Il DID cambia, perché è formato dalla chiave. Chi si fida del DID attuale ha bisogno del nuovo DID.',
    certificate: 'Il certificato resta con la chiave precedente. La voce ha bisogno di un nuovo certificato.',
    formerKey: 'La chiave precedente resta pubblicata e firma ancora le proprie liste di stato.',
    place: 'Posizione della nuova chiave',
    placeFixed: 'La configurazione richiede questa posizione.',
    algorithm: 'Algoritmo',
    run: 'Ruota la chiave',
    done: 'La voce firma ora con la nuova chiave.',
    newDid: 'Nuovo DID',
    next: 'Che cosa fare ora',
    nothing: 'Non occorre fare altro.',
    steps: {
      'request-certificate': 'Richiedere un certificato per la nuova chiave.',
      'announce-did': 'Dare il nuovo DID a chi si fida del DID precedente.',
      'keep-former-key': 'Lasciare la chiave precedente dov’è. Firma ancora liste di stato.',
    },
    toRecord: 'Apri la voce',
  },
  choice: {
    title: 'Chiave',
    intro: 'La nuova voce riceve una propria chiave.',
    place: 'Posizione della chiave',
    placeHint: 'La chiave privata non lascia mai un fornitore di chiavi.',
    algorithm: 'Algoritmo',
    algorithmHint: 'Ogni portafoglio conosce ES256.',
    signing: 'Che cosa firma la chiave',
    every: 'Ogni documento',
    everyHint: 'Ogni credenziale e ogni lista di stato richiede una firma della chiave.',
    delegated: 'Solo certificati di firmatari di breve durata',
    delegatedHint:
      'Firmatari nella memoria del servizio firmano allora i documenti. La voce ha bisogno di un certificato di un’autorità di certificazione. Fino ad allora firma la sua chiave.',
  },
  certify: {
    save: 'Salva la scelta',
    saved: 'La scelta è salvata. Vale con il prossimo certificato.',
    withCertificate:
      'Il certificato attuale non corrisponde a questa scelta. La scelta vale con un nuovo certificato. Continuare con i passaggi seguenti.',
    send: {
      every:
        'Inviare la richiesta a un’autorità di certificazione ritenuta attendibile dai verificatori. L’autorità restituisce un certificato.',
      delegated:
        'Inviare la richiesta a un’autorità di certificazione ritenuta attendibile dai verificatori. L’autorità restituisce il certificato di un’autorità subordinata (CA:TRUE, keyCertSign).',
    },
  },
}
