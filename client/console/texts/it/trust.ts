import type { trust as english } from '../en/trust.js'
import type { InOtherWords } from '../texts.js'
import { count } from './numbers.js'

/** The texts in Italian of trust and keys. */
export const trust: InOtherWords<typeof english> = {
  trust: {
    intro: 'Le proprie chiavi di firma, i loro certificati e gli emittenti attendibili.',
    signers: 'Emittenti e verificatori',
    trusted: 'Emittenti attendibili',
    images: 'Immagini',
    rotation: 'Rotazione delle chiavi',
    issuers: 'Emittenti',
    issuersIntro:
      'Ogni attestato è firmato a nome di un emittente. Ogni emittente ha la propria chiave e il proprio DID.',
    verifiers: 'Verificatori',
    verifiersIntro:
      'Ogni richiesta è fatta a nome di un verificatore. Ogni verificatore ha la propria chiave e il proprio DID.',
    noRecord: 'Non c’è ancora alcuna voce',
    noRecordText: 'Creare una voce. Riceve automaticamente una chiave e un DID.',
    newIssuer: 'Nuovo emittente',
    newIssuerIntro:
      'L’emittente riceve una chiave e un DID propri. Gli si possono poi assegnare offerte e tipi di attestato.',
    newVerifier: 'Nuovo verificatore',
    newVerifierIntro: 'Il verificatore riceve una chiave e un DID propri. Si possono poi fare richieste a suo nome.',
    makeIssuer: 'Crea l’emittente',
    makeVerifier: 'Crea il verificatore',
    name: 'Nome',
    signsWith: 'Firma con',
    certificate: 'Certificato',
    noCertificate: 'nessuno',
    made: 'Creazione',
    until: (day) => `scadenza: ${day}`,
    endsSoon: (when) => `scade ${when}`,
    ended: (when) => `scaduto ${when}`,
    names: 'Nome',
    shownTo: 'Nome nei portafogli',
    didMethod: 'Metodo DID',
    didMethodIntro: 'Un DID è un nome che conduce a chiavi pubbliche. Non può essere cambiato in seguito.',
    didWeb: 'did:web',
    didWebHint: 'Un indirizzo di questo servizio. Il DID resta uguale quando la chiave viene ruotata.',
    didKey: 'did:key',
    didKeyHint: 'La chiave stessa. Il DID è leggibile senza rete, ma cambia a ogni rotazione della chiave.',
    issuer: 'Emittente',
    issuerIntro: 'Identità, chiave di firma e formati di questo emittente.',
    verifier: 'Verificatore',
    verifierIntro: 'Identità, chiave di firma e identificatori client di questo verificatore.',
    identity: 'Identità',
    algorithms: {
      ES256: 'ES256 (P-256)',
      ES384: 'ES384 (P-384)',
      EdDSA: 'EdDSA (Ed25519)',
    },
    keyId: 'ID della chiave',
    recordId: 'ID della voce',
    published: 'Chiavi pubbliche',
    didDocument: 'Documento DID pubblicato',
    showDocument: 'Mostra il documento DID',
    formerKeys: (n) => count(n, 'chiave precedente, ancora pubblicata', 'chiavi precedenti, ancora pubblicate'),
    replaced: 'sostituita',
    signs: 'Formati che può firmare',
    canSign: 'sì',
    needsCertificate: 'richiede un certificato',
    needsHost: 'richiede un certificato per l’host di questo servizio',
    needsAttestation: 'richiede un’attestazione',
    assigned: 'Tipi di attestato',
    assignedNone:
      'Nessun tipo è assegnato solo a questo emittente. Rilascia i tipi che non sono assegnati ad alcun emittente.',
    assignedIntro: 'Tipi assegnati a questo emittente, oltre ai tipi non assegnati:',
    toTypes: 'Tutti i tipi di attestato',
    clientIds: 'Identificatori client',
    clientIdsIntro: 'Una richiesta identifica questo verificatore in uno di questi modi.',
    prefixes: {
      decentralized_identifier: 'Con il suo DID',
      x509_san_dns: 'Con il nome host nel suo certificato',
      x509_hash: 'Con il suo certificato',
      redirect_uri: 'Con l’indirizzo di risposta, senza firma',
      verifier_attestation: 'Con un’attestazione di un’altra parte',
    },
    chainIntro: 'Il certificato della chiave è il primo. Ogni certificato successivo certifica quello che lo precede.',
    subject: 'Soggetto',
    certifiedBy: 'Emesso da',
    certifiedNames: 'Nomi',
    serial: 'Numero di serie',
    validity: 'Validità',
    fromTo: (from, to) => `${from} – ${to}`,
    fingerprint: 'Impronta digitale (SHA-256)',
    noIssuerCertificate:
      'Questo emittente non ha un certificato. I portafogli lo identificano con il suo DID. Non può rilasciare documenti mobili.',
    noOwnCertificate:
      'Questo emittente non ha un certificato. Solo l’emittente predefinito può averne uno, dal file di ISSUER_X509.',
    noVerifierCertificate:
      'Questo verificatore non ha un certificato. I portafogli lo identificano con il suo DID. Molti portafogli richiedono un certificato.',
    getCertificate: 'Ottieni un certificato',
    renewCertificate: 'Rinnova il certificato',
    requestIntro:
      'Una richiesta di certificato (CSR) contiene la chiave pubblica e il nome da certificare. La chiave privata resta in questo servizio.',
    showRequest: 'Mostra la richiesta di certificato',
    request: 'Richiesta di certificato',
    downloadRequest: 'Scarica la richiesta',
    sendRequest:
      'Inviare la richiesta a un’autorità di certificazione ritenuta attendibile dai portafogli. L’autorità restituisce un certificato.',
    chain: 'Certificato dell’autorità',
    chainHint: 'Come testo (PEM): prima il certificato, poi i certificati dell’autorità stessa.',
    useCertificate: 'Usa questo certificato',
    certified: 'Il certificato è ora in uso.',
    fileRequest:
      'Creare una chiave e una richiesta di certificato sulla macchina del servizio. Inserire il proprio Paese e la propria organizzazione.',
    requestCommand: 'comando per una richiesta di certificato',
    fileSend: (file) =>
      `Inviare ${file} a un’autorità di certificazione ritenuta attendibile dagli altri. L’autorità restituisce un certificato.`,
    fileJoin:
      'Riunire la chiave, il certificato e i certificati dell’autorità stessa in un unico file, in questo ordine.',
    joinCommand: 'comando che riunisce chiave e certificato',
    fileSet: (variable, file) =>
      `Impostare ${variable} sul percorso di ${file} e riavviare il servizio. Proteggere il file come una password: contiene la chiave.`,
    trustedIntro: 'Il servizio accetta gli attestati di questi emittenti. Respinge tutti gli altri attestati.',
    added: 'Emittenti aggiunti',
    addedIntro:
      'Emittenti aggiunti qui, oltre alla configurazione. Una richiesta che elenca emittenti attendibili usa solo il proprio elenco.',
    addedNone:
      'Nessun emittente aggiunto. Aggiungere di seguito un emittente di cui si vogliono accettare gli attestati.',
    addedNoneRead: 'Nessun emittente aggiunto.',
    onlyAdmins: 'Gli amministratori possono aggiungere e rimuovere emittenti.',
    trustedIssuer: 'Emittente',
    addedAt: 'Aggiunto',
    rowActions: 'Azioni',
    removeTrusted: (name) => `Rimuovi ${name}`,
    removeTitle: (name) => `Rimuovere ${name} dagli emittenti attendibili?`,
    removeText:
      'Da questo momento gli attestati di questo emittente vengono respinti, anche nelle risposte a richieste aperte. I risultati esistenti restano.',
    removeAction: 'Rimuovi dagli attendibili',
    whom: 'DID o indirizzo web dell’emittente',
    whomHint:
      'Ad esempio did:web:university.example o https://university.example. Un indirizzo comprende ogni emittente al di sotto di esso.',
    note: 'Nota',
    noteHint: 'Una nota sull’emittente per i colleghi.',
    addTrusted: 'Aggiungi agli attendibili',
    configured: 'Dalla configurazione',
    configuredIntro: 'Il servizio legge queste impostazioni all’avvio.',
    entries: {
      self: 'Gli emittenti di questa installazione',
      x5c: 'Ogni emittente con un certificato sotto una delle ancore di fiducia indicate di seguito',
      '*': 'Ogni emittente',
    },
    byVariable: 'Impostato da TRUSTED_ISSUERS.',
    byProfile: 'TRUSTED_ISSUERS non è impostata: questo è il valore predefinito.',
    rootsOfIssuers: 'Ancore di fiducia degli emittenti',
    rootsOfLists: 'Ancore di fiducia delle liste di stato',
    rootsOfVerifiers: 'Ancore di fiducia dei verificatori',
    rootsOfWallets: 'Ancore di fiducia dei fornitori di portafogli',
    rootsIntro: (variable) => `Dal file di ${variable}. Per modificarle, sostituire il file e riavviare il servizio.`,
    noRootsOfIssuers:
      'Nessuna. Per accettare gli emittenti in base ai loro certificati, come richiedono i documenti mobili, impostare TRUST_ANCHORS su un file con le ancore di fiducia.',
    noRootsOfVerifiers:
      'Nessuna. I portafogli ospitati non rispondono ai verificatori che si identificano con un certificato. Per modificare questo comportamento, impostare VERIFIER_TRUST_ANCHORS su un file con le ancore di fiducia.',
    noRootsOfWallets:
      'Nessuna. I certificati non vengono usati per controllare che un portafoglio sia autentico. Per modificare questo comportamento, impostare WALLET_TRUST_ANCHORS su un file con le ancore di fiducia dei fornitori di portafogli.',
    moreRoots: (n) => (n === 1 ? 'E un’altra.' : `E altre ${n.toLocaleString('it')}.`),
    providers: 'Portafogli il cui fornitore è identificato dalla propria chiave (WALLET_CLIENTS):',
    rotationIntro: 'Come ruotare le proprie chiavi di firma e quali sono gli effetti di una rotazione.',
    howTo: 'Eseguire la rotazione',
    howToIntro:
      'Ogni emittente e ogni verificatore riceve una nuova chiave. Eseguire il comando sulla macchina del servizio, con l’ambiente del servizio. Il servizio resta in funzione.',
    installed: 'Un servizio installato',
    rotateCommand: 'comando per nuove chiavi',
    checkout: 'Avviato con npm start',
    rotateInCheckout: 'comando per nuove chiavi dopo npm start',
    anotherAlgorithm: 'Altro algoritmo',
    anotherAlgorithmText:
      'Una nuova chiave ha l’algoritmo della chiave precedente, a meno che non se ne scelga un altro.',
    rotateToEdDsa: 'comando per chiavi EdDSA',
    rotateToEs256: 'comando per chiavi ES256',
    stolen: 'In caso di furto di una chiave',
    stolenText:
      'Una rotazione non annulla le firme precedenti, perché la chiave precedente resta pubblicata. Revocare gli attestati firmati con la chiave precedente, poi ruotare le chiavi.',
    means: 'Effetti',
    meaning: [
      [
        'Attestati rilasciati',
        'Restano validi. La chiave precedente resta pubblicata, quindi i verificatori possono ancora controllarli.',
      ],
      ['Liste di stato', 'La chiave precedente firma ancora le proprie liste. I nuovi attestati vanno in nuove liste.'],
      ['Offerte aperte', 'Restano valide. La nuova chiave firma l’attestato.'],
      ['Richieste aperte', 'Mantengono la loro chiave e possono ancora ricevere risposta.'],
      [
        'DID',
        'Un did:web resta uguale. Un did:key o did:jwk deriva dalla chiave, quindi cambia. Informare tutti coloro che si fidano del DID precedente.',
      ],
      [
        'Chiavi da file',
        'Una rotazione non cambia le chiavi di ISSUER_X509 e VERIFIER_X509, né la chiave indicata da VERIFIER_ATTESTATION. Sostituire il file e riavviare il servizio.',
      ],
      [
        'Verificatori con un proprio certificato',
        'La nuova chiave non ha un certificato. Le richieste indicano il DID finché non si ottiene qui un nuovo certificato.',
      ],
      [
        'Richieste di attestati cifrate',
        'I portafogli conoscono subito la nuova chiave. La chiave precedente decifra le loro richieste ancora per un giorno.',
      ],
    ],
  },
}
