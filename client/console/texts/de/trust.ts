import type { trust as english } from '../en/trust.js'
import type { InOtherWords } from '../texts.js'

/** The texts in German of trust and keys. */
export const trust: InOtherWords<typeof english> = {
  trust: {
    intro: 'Ihre Signaturschlüssel, deren Zertifikate und die Aussteller, denen Sie vertrauen.',
    signers: 'Aussteller und Prüfer',
    trusted: 'Vertrauenswürdige Aussteller',
    lists: 'Vertrauenslisten',
    explain: 'Vertrauen erklären',
    explainLinks: {
      credentials: 'Warum wird dem Aussteller vertraut, oder warum nicht?',
      status: 'Warum wird dem Aussteller vertraut, oder warum nicht?',
      verifiers: 'Warum wird dem Prüfer vertraut, oder warum nicht?',
      registrars: 'Warum wird der Registerstelle vertraut, oder warum nicht?',
      wallets: 'Warum wird dem Aussteller vertraut, oder warum nicht?',
    },
    images: 'Bilder',
    keys: 'Signaturschlüssel',
    rotation: 'Schlüssel wechseln',
    issuers: 'Aussteller',
    issuersIntro:
      'Jeder Nachweis wird im Namen eines Ausstellers signiert. Jeder Aussteller hat einen eigenen Schlüssel und eine eigene DID.',
    verifiers: 'Prüfer',
    verifiersIntro:
      'Jede Anfrage wird im Namen eines Prüfers gestellt. Jeder Prüfer hat einen eigenen Schlüssel und eine eigene DID.',
    noRecord: 'Es gibt noch keinen Eintrag',
    noRecordText: 'Legen Sie einen Eintrag an. Er erhält automatisch einen Schlüssel und eine DID.',
    newIssuer: 'Neuer Aussteller',
    newIssuerIntro:
      'Der Aussteller erhält einen eigenen Schlüssel und eine eigene DID. Danach lassen sich ihm Angebote und Nachweisarten zuordnen.',
    newVerifier: 'Neuer Prüfer',
    newVerifierIntro:
      'Der Prüfer erhält einen eigenen Schlüssel und eine eigene DID. Danach lassen sich Anfragen in seinem Namen stellen.',
    makeIssuer: 'Aussteller anlegen',
    makeVerifier: 'Prüfer anlegen',
    name: 'Name',
    signsWith: 'Signiert mit',
    certificate: 'Zertifikat',
    noCertificate: 'keines',
    made: 'Angelegt',
    until: (day) => `bis ${day}`,
    endsSoon: (when) => `läuft ${when} ab`,
    ended: (when) => `${when} abgelaufen`,
    names: 'Name',
    shownTo: 'Name in Wallets',
    didMethod: 'DID-Methode',
    didMethodIntro: 'Eine DID ist ein Name, der zu öffentlichen Schlüsseln führt. Sie lässt sich später nicht ändern.',
    didWeb: 'did:web',
    didWebHint: 'Eine Adresse dieses Dienstes. Die DID bleibt gleich, wenn der Schlüssel gewechselt wird.',
    didKey: 'did:key',
    didKeyHint: 'Der Schlüssel selbst. Die DID ist ohne Netz lesbar, ändert sich aber mit jedem Schlüsselwechsel.',
    issuer: 'Aussteller',
    issuerIntro: 'Identität, Signaturschlüssel und Formate dieses Ausstellers.',
    verifier: 'Prüfer',
    verifierIntro: 'Identität, Signaturschlüssel und Client-Kennungen dieses Prüfers.',
    identity: 'Identität',
    algorithms: {
      ES256: 'ES256 (P-256)',
      ES384: 'ES384 (P-384)',
      EdDSA: 'EdDSA (Ed25519)',
    },
    keyId: 'Kennung des Schlüssels',
    recordId: 'Kennung des Eintrags',
    published: 'Öffentliche Schlüssel',
    didDocument: 'Veröffentlichtes DID-Dokument',
    showDocument: 'DID-Dokument anzeigen',
    formerKeys: (n) => `${n === 1 ? '1 früherer Schlüssel' : `${n} frühere Schlüssel`}, noch veröffentlicht`,
    replaced: 'ersetzt',
    signs: 'Formate, die er signieren kann',
    canSign: 'ja',
    needsCertificate: 'braucht ein Zertifikat',
    needsHost: 'braucht ein Zertifikat für den Rechnernamen dieses Dienstes',
    needsAttestation: 'braucht eine Attestierung',
    assigned: 'Nachweisarten',
    assignedNone:
      'Diesem Aussteller allein ist keine Nachweisart zugeordnet. Er stellt die Nachweisarten aus, die keinem Aussteller zugeordnet sind.',
    assignedIntro: 'Diesem Aussteller zugeordnet, zusätzlich zu den nicht zugeordneten Nachweisarten:',
    toTypes: 'Alle Nachweisarten',
    clientIds: 'Client-Kennungen',
    clientIdsIntro: 'Eine Anfrage weist diesen Prüfer auf eine dieser Arten aus.',
    prefixes: {
      decentralized_identifier: 'Durch seine DID',
      x509_san_dns: 'Durch den Rechnernamen in seinem Zertifikat',
      x509_hash: 'Durch sein Zertifikat',
      redirect_uri: 'Durch die Antwortadresse, unsigniert',
      verifier_attestation: 'Durch die Attestierung einer anderen Stelle',
    },
    chainIntro: 'Zuerst steht das eigene Zertifikat. Jedes weitere Zertifikat beglaubigt das vorige.',
    subject: 'Ausgestellt für',
    certifiedBy: 'Ausgestellt von',
    certifiedNames: 'Namen',
    serial: 'Seriennummer',
    validity: 'Gültig',
    fromTo: (from, to) => `von ${from} bis ${to}`,
    fingerprint: 'Fingerabdruck (SHA-256)',
    noIssuerCertificate:
      'Dieser Aussteller hat kein Zertifikat. Wallets erkennen ihn an seiner DID. Er kann keine mobilen Dokumente ausstellen.',
    noOwnCertificate:
      'Dieser Aussteller hat kein Zertifikat. Nur der Standardaussteller kann ein Zertifikat haben, aus der Datei von ISSUER_X509.',
    noVerifierCertificate:
      'Dieser Prüfer hat kein Zertifikat. Wallets erkennen ihn an seiner DID. Viele Wallets verlangen ein Zertifikat.',
    getCertificate: 'Zertifikat beantragen',
    renewCertificate: 'Zertifikat erneuern',
    requestIntro:
      'Eine Zertifikatsanforderung (CSR) enthält den öffentlichen Schlüssel und den Namen, die zertifiziert werden sollen. Der private Schlüssel bleibt in diesem Dienst.',
    showRequest: 'Zertifikatsanforderung anzeigen',
    request: 'Zertifikatsanforderung',
    downloadRequest: 'Anforderung herunterladen',
    sendRequest:
      'Senden Sie die Anforderung an eine Zertifizierungsstelle, der Wallets vertrauen. Die Zertifizierungsstelle sendet ein Zertifikat zurück.',
    chain: 'Zertifikat der Zertifizierungsstelle',
    chainHint: 'Als Text (PEM): zuerst das Zertifikat, dann die eigenen Zertifikate der Zertifizierungsstelle.',
    useCertificate: 'Dieses Zertifikat verwenden',
    certified: 'Das Zertifikat wird jetzt verwendet.',
    fileRequest:
      'Erzeugen Sie auf dem Rechner des Dienstes einen Schlüssel und eine Zertifikatsanforderung. Geben Sie Ihr Land und Ihre Organisation an.',
    requestCommand: 'den Befehl für eine Zertifikatsanforderung',
    fileSend: (file) =>
      `Senden Sie ${file} an eine Zertifizierungsstelle, der andere vertrauen. Die Zertifizierungsstelle sendet ein Zertifikat zurück.`,
    fileJoin:
      'Schreiben Sie den Schlüssel, das Zertifikat und die eigenen Zertifikate der Zertifizierungsstelle in dieser Reihenfolge in eine Datei.',
    joinCommand: 'den Befehl, der Schlüssel und Zertifikat zusammenfügt',
    fileSet: (variable, file) =>
      `Setzen Sie ${variable} auf den Pfad von ${file}, und starten Sie den Dienst neu. Schützen Sie die Datei wie ein Passwort: Sie enthält den Schlüssel.`,
    trustedIntro: 'Der Dienst akzeptiert Nachweise dieser Aussteller. Alle anderen Nachweise lehnt er ab.',
    added: 'Hinzugefügte Aussteller',
    addedIntro:
      'Hier hinzugefügte Aussteller, zusätzlich zur Konfiguration. Für eine Anfrage mit eigenen vertrauenswürdigen Ausstellern gelten nur diese.',
    addedNone:
      'Es ist noch kein Aussteller hinzugefügt. Fügen Sie unten einen Aussteller hinzu, dessen Nachweise Sie akzeptieren möchten.',
    addedNoneRead: 'Es ist noch kein Aussteller hinzugefügt.',
    onlyAdmins: 'Administratoren können Aussteller hinzufügen und entfernen.',
    trustedIssuer: 'Aussteller',
    addedAt: 'Hinzugefügt',
    rowActions: 'Aktionen',
    removeTrusted: (name) => `${name} entfernen`,
    removeTitle: (name) => `${name} nicht mehr vertrauen?`,
    removeText:
      'Ab jetzt werden Nachweise dieses Ausstellers abgelehnt, auch in Antworten auf offene Anfragen. Vorhandene Ergebnisse bleiben.',
    removeAction: 'Nicht mehr vertrauen',
    whom: 'DID oder Webadresse des Ausstellers',
    whomHint:
      'Zum Beispiel did:web:university.example oder https://university.example. Eine Adresse schließt jeden Aussteller darunter ein.',
    note: 'Notiz',
    noteHint: 'Ein Hinweis zum Aussteller für Ihre Kollegen.',
    addTrusted: 'Diesem Aussteller vertrauen',
    configured: 'Aus der Konfiguration',
    configuredIntro: 'Der Dienst liest diese Einstellungen beim Start.',
    entries: {
      self: 'Die eigenen Aussteller dieser Installation',
      x5c: 'Jeder Aussteller, dessen Zertifikat auf einen der Vertrauensanker unten zurückgeht',
      '*': 'Jeder Aussteller',
    },
    byVariable: 'Gesetzt durch TRUSTED_ISSUERS.',
    byProfile: 'TRUSTED_ISSUERS ist nicht gesetzt: Das ist der Standard.',
    rootsOfIssuers: 'Vertrauensanker für Aussteller',
    rootsOfLists: 'Vertrauensanker für Statuslisten',
    rootsOfVerifiers: 'Vertrauensanker für Prüfer',
    rootsOfWallets: 'Vertrauensanker für Wallet-Anbieter',
    rootsIntro: (variable) =>
      `Aus der Datei von ${variable}. Um sie zu ändern, ersetzen Sie die Datei und starten den Dienst neu.`,
    noRootsOfIssuers:
      'Keine. Um Aussteller an ihren Zertifikaten zu erkennen, wie es mobile Dokumente verlangen, setzen Sie TRUST_ANCHORS auf eine Datei mit Vertrauensankern.',
    noRootsOfVerifiers:
      'Keine. Gehostete Wallets antworten keinem Prüfer, der sich durch ein Zertifikat ausweist. Um das zu ändern, setzen Sie VERIFIER_TRUST_ANCHORS auf eine Datei mit Vertrauensankern.',
    noRootsOfWallets:
      'Keine. Ob eine Wallet echt ist, wird nicht mit Zertifikaten geprüft. Um das zu ändern, setzen Sie WALLET_TRUST_ANCHORS auf eine Datei mit den Vertrauensankern der Wallet-Anbieter.',
    moreRoots: (n) => `Und ${n} weitere.`,
    providers: 'Wallets, deren Anbieter an seinem eigenen Schlüssel erkannt wird (WALLET_CLIENTS):',
    rotationIntro: 'Wie Sie Ihre Signaturschlüssel wechseln und was das bewirkt.',
    rotateOne: 'Den Schlüssel nur eines Eintrags wechseln Sie unter „Signaturschlüssel“.',
    howTo: 'Wechsel ausführen',
    howToIntro:
      'Jeder Aussteller und jeder Prüfer erhält einen neuen Schlüssel. Führen Sie den Befehl auf dem Rechner des Dienstes aus, mit der Umgebung des Dienstes. Der Dienst läuft dabei weiter.',
    installed: 'Ein installierter Dienst',
    rotateCommand: 'den Befehl für neue Schlüssel',
    checkout: 'Mit npm start gestartet',
    rotateInCheckout: 'den Befehl für neue Schlüssel nach npm start',
    anotherAlgorithm: 'Anderer Algorithmus',
    anotherAlgorithmText:
      'Ein neuer Schlüssel hat den Algorithmus des früheren, wenn Sie keinen anderen Algorithmus wählen.',
    rotateToEdDsa: 'den Befehl für EdDSA-Schlüssel',
    rotateToEs256: 'den Befehl für ES256-Schlüssel',
    stolen: 'Wenn ein Schlüssel gestohlen wurde',
    stolenText:
      'Ein Wechsel macht frühere Signaturen nicht ungültig, denn der frühere Schlüssel bleibt veröffentlicht. Widerrufen Sie die Nachweise, die der frühere Schlüssel signiert hat, und wechseln Sie dann die Schlüssel.',
    means: 'Auswirkungen',
    meaning: [
      [
        'Ausgestellte Nachweise',
        'Sie bleiben gültig. Der frühere Schlüssel bleibt veröffentlicht, damit Prüfer sie weiter prüfen können.',
      ],
      [
        'Statuslisten',
        'Der frühere Schlüssel signiert weiter seine eigenen Listen. Neue Nachweise kommen in neue Listen.',
      ],
      ['Offene Angebote', 'Sie bleiben gültig. Der neue Schlüssel signiert den Nachweis.'],
      ['Offene Anfragen', 'Sie behalten ihren Schlüssel und lassen sich weiter beantworten.'],
      [
        'DIDs',
        'Eine did:web bleibt gleich. Eine did:key oder did:jwk besteht aus dem Schlüssel und ändert sich daher. Informieren Sie alle, die der früheren DID vertrauen.',
      ],
      [
        'Schlüssel aus Dateien',
        'Ein Wechsel ändert weder die Schlüssel von ISSUER_X509 und VERIFIER_X509 noch den Schlüssel, den VERIFIER_ATTESTATION nennt. Ersetzen Sie die Datei, und starten Sie den Dienst neu.',
      ],
      [
        'Prüfer mit eigenem Zertifikat',
        'Der neue Schlüssel hat kein Zertifikat. Anfragen nennen die DID, bis Sie hier ein neues Zertifikat einsetzen.',
      ],
      [
        'Verschlüsselte Nachweisanforderungen',
        'Wallets erfahren den neuen Schlüssel sofort. Der frühere Schlüssel entschlüsselt ihre Anforderungen noch einen Tag lang.',
      ],
    ],
  },
}
