import type { trust as english } from '../en/trust.js'
import type { InOtherWords } from '../texts.js'
import { count } from './numbers.js'

/** The texts in French of trust and keys. */
export const trust: InOtherWords<typeof english> = {
  trust: {
    intro: 'Vos clés de signature, leurs certificats et vos émetteurs de confiance.',
    signers: 'Émetteurs et vérificateurs',
    trusted: 'Émetteurs de confiance',
    lists: 'Listes de confiance',
    explain: 'Expliquer la confiance',
    explainLinks: {
      credentials: 'Pourquoi l’émetteur est-il de confiance, ou non\u00a0?',
      status: 'Pourquoi l’émetteur est-il de confiance, ou non\u00a0?',
      verifiers: 'Pourquoi le vérificateur est-il de confiance, ou non\u00a0?',
      registrars: 'Pourquoi le registraire est-il de confiance, ou non\u00a0?',
      wallets: 'Pourquoi l’émetteur est-il de confiance, ou non\u00a0?',
    },
    images: 'Images',
    keys: 'Clés de signature',
    rotation: 'Rotation des clés',
    issuers: 'Émetteurs',
    issuersIntro:
      'Chaque attestation est signée au nom d’un émetteur. Chaque émetteur a sa propre clé et son propre DID.',
    verifiers: 'Vérificateurs',
    verifiersIntro:
      'Chaque demande est faite au nom d’un vérificateur. Chaque vérificateur a sa propre clé et son propre DID.',
    noRecord: 'Il n’y a pas encore d’enregistrement',
    noRecordText: 'Créez un enregistrement. Il reçoit automatiquement une clé et un DID.',
    newIssuer: 'Nouvel émetteur',
    newIssuerIntro:
      'L’émetteur reçoit sa propre clé et son propre DID. Des offres et des types d’attestation peuvent ensuite lui être attribués.',
    newVerifier: 'Nouveau vérificateur',
    newVerifierIntro:
      'Le vérificateur reçoit sa propre clé et son propre DID. Des demandes peuvent ensuite être faites en son nom.',
    makeIssuer: 'Créer l’émetteur',
    makeVerifier: 'Créer le vérificateur',
    name: 'Nom',
    signsWith: 'Signe avec',
    certificate: 'Certificat',
    noCertificate: 'aucun',
    made: 'Créé',
    until: (day) => `jusqu’au ${day}`,
    endsSoon: (when) => `expire ${when}`,
    ended: (when) => `a expiré ${when}`,
    names: 'Nom',
    shownTo: 'Nom dans les portefeuilles',
    didMethod: 'Méthode DID',
    didMethodIntro: 'Un DID est un nom qui mène à des clés publiques. Il ne pourra plus être modifié.',
    didWeb: 'did:web',
    didWebHint: 'Une adresse de ce service. Le DID reste le même lors d’une rotation de la clé.',
    didKey: 'did:key',
    didKeyHint: 'La clé elle-même. Le DID se lit sans réseau, mais il change à chaque rotation de la clé.',
    issuer: 'Émetteur',
    issuerIntro: 'Identité, clé de signature et formats de cet émetteur.',
    verifier: 'Vérificateur',
    verifierIntro: 'Identité, clé de signature et identifiants client de ce vérificateur.',
    identity: 'Identité',
    algorithms: {
      ES256: 'ES256 (P-256)',
      ES384: 'ES384 (P-384)',
      EdDSA: 'EdDSA (Ed25519)',
    },
    keyId: 'Identifiant de la clé',
    recordId: 'Identifiant de l’enregistrement',
    published: 'Clés publiques',
    didDocument: 'Document DID publié',
    showDocument: 'Afficher le document DID',
    formerKeys: (n) => count(n, 'ancienne clé, toujours publiée', 'anciennes clés, toujours publiées'),
    replaced: 'remplacée',
    signs: 'Formats qu’il peut signer',
    canSign: 'oui',
    needsCertificate: 'nécessite un certificat',
    needsHost: 'nécessite un certificat pour l’hôte de ce service',
    needsAttestation: 'nécessite une attestation de vérificateur',
    assigned: 'Types d’attestation',
    assignedNone:
      'Aucun type n’est attribué spécialement à cet émetteur. Il émet les types qui ne sont attribués à aucun émetteur.',
    assignedIntro: 'Types attribués à cet émetteur, en plus des types non attribués\u00a0:',
    toTypes: 'Tous les types d’attestation',
    clientIds: 'Identifiants client',
    clientIdsIntro: 'Une demande identifie ce vérificateur de l’une de ces façons.',
    prefixes: {
      decentralized_identifier: 'Par son DID',
      x509_san_dns: 'Par le nom d’hôte de son certificat',
      x509_hash: 'Par son certificat',
      redirect_uri: 'Par l’adresse de réponse, sans signature',
      verifier_attestation: 'Par une attestation de vérificateur d’un tiers',
    },
    chainIntro: 'Le certificat de la clé vient en premier. Chaque certificat suivant certifie celui qui le précède.',
    subject: 'Sujet',
    certifiedBy: 'Délivré par',
    certifiedNames: 'Noms',
    serial: 'Numéro de série',
    validity: 'Validité',
    fromTo: (from, to) => `du ${from} au ${to}`,
    fingerprint: 'Empreinte (SHA-256)',
    noIssuerCertificate:
      'Cet émetteur n’a pas de certificat. Les portefeuilles l’identifient par son DID. Il ne peut pas émettre de documents mobiles.',
    noOwnCertificate:
      'Cet émetteur n’a pas de certificat. Seul l’émetteur par défaut peut avoir un certificat, issu du fichier d’ISSUER_X509.',
    noVerifierCertificate:
      'Ce vérificateur n’a pas de certificat. Les portefeuilles l’identifient par son DID. De nombreux portefeuilles exigent un certificat.',
    getCertificate: 'Obtenir un certificat',
    renewCertificate: 'Renouveler le certificat',
    requestIntro:
      'Une demande de certificat (CSR) contient la clé publique et le nom à certifier. La clé privée reste dans ce service.',
    showRequest: 'Afficher la demande de certificat',
    request: 'Demande de certificat',
    downloadRequest: 'Télécharger la demande de certificat',
    sendRequest:
      'Envoyez la demande à une autorité de certification reconnue par les portefeuilles. L’autorité renvoie un certificat.',
    chain: 'Certificat de l’autorité',
    chainHint: 'Sous forme de texte (PEM)\u00a0: d’abord le certificat, puis les certificats de l’autorité elle-même.',
    useCertificate: 'Utiliser ce certificat',
    certified: 'Le certificat est maintenant utilisé.',
    fileRequest:
      'Créez une clé et une demande de certificat sur la machine du service. Indiquez votre pays et votre organisation.',
    requestCommand: 'la commande pour une demande de certificat',
    fileSend: (file) =>
      `Envoyez ${file} à une autorité de certification reconnue par les autres parties. L’autorité renvoie un certificat.`,
    fileJoin:
      'Réunissez la clé, le certificat et les certificats de l’autorité elle-même dans un seul fichier, dans cet ordre.',
    joinCommand: 'la commande qui réunit la clé et le certificat',
    fileSet: (variable, file) =>
      `Définissez ${variable} sur le chemin de ${file}, puis redémarrez le service. Protégez le fichier comme un mot de passe\u00a0: il contient la clé.`,
    trustedIntro: 'Le service accepte les attestations de ces émetteurs. Il refuse toutes les autres.',
    added: 'Émetteurs ajoutés',
    addedIntro:
      'Les émetteurs ajoutés ici, en plus de la configuration. Une demande qui indique des émetteurs de confiance n’utilise que sa propre liste.',
    addedNone:
      'Aucun émetteur n’est encore ajouté. Ajoutez ci-dessous un émetteur dont vous voulez accepter les attestations.',
    addedNoneRead: 'Aucun émetteur n’est encore ajouté.',
    onlyAdmins: 'Les administrateurs peuvent ajouter et retirer des émetteurs.',
    trustedIssuer: 'Émetteur',
    addedAt: 'Ajouté',
    rowActions: 'Actions',
    removeTrusted: (name) => `Retirer ${name}`,
    removeTitle: (name) => `Ne plus faire confiance à ${name}\u202f?`,
    removeText:
      'Les attestations de cet émetteur seront désormais refusées, y compris dans les réponses aux demandes ouvertes. Les résultats existants sont conservés.',
    removeAction: 'Ne plus faire confiance',
    whom: 'DID ou adresse web de l’émetteur',
    whomHint:
      'Par exemple did:web:university.example ou https://university.example. Une adresse inclut tous les émetteurs situés en dessous.',
    note: 'Note',
    noteHint: 'Une note sur l’émetteur, pour vos collègues.',
    addTrusted: 'Faire confiance à cet émetteur',
    configured: 'Dans la configuration',
    configuredIntro: 'Le service lit ces paramètres au démarrage.',
    entries: {
      self: 'Les émetteurs de cette installation',
      x5c: 'Tout émetteur dont le certificat dépend d’une ancre de confiance ci-dessous',
      '*': 'Tout émetteur',
    },
    byVariable: 'Défini par TRUSTED_ISSUERS.',
    byProfile: 'TRUSTED_ISSUERS n’est pas défini\u00a0: il s’agit de la valeur par défaut.',
    rootsOfIssuers: 'Ancres de confiance des émetteurs',
    rootsOfLists: 'Ancres de confiance des listes de statuts',
    rootsOfVerifiers: 'Ancres de confiance des vérificateurs',
    rootsOfWallets: 'Ancres de confiance des fournisseurs de portefeuilles',
    rootsIntro: (variable) =>
      `Issues du fichier de la variable ${variable}. Pour les modifier, remplacez le fichier et redémarrez le service.`,
    noRootsOfIssuers:
      'Aucune. Pour accepter les émetteurs par leur certificat, comme l’exigent les documents mobiles, définissez TRUST_ANCHORS sur un fichier d’ancres de confiance.',
    noRootsOfVerifiers:
      'Aucune. Les portefeuilles hébergés ne répondent à aucun vérificateur qui s’identifie par un certificat. Pour changer cela, définissez VERIFIER_TRUST_ANCHORS sur un fichier d’ancres de confiance.',
    noRootsOfWallets:
      'Aucune. L’authenticité d’un portefeuille n’est pas contrôlée par des certificats. Pour changer cela, définissez WALLET_TRUST_ANCHORS sur un fichier d’ancres de confiance des fournisseurs de portefeuilles.',
    moreRoots: (n) => `Et ${count(n, 'autre', 'autres')}.`,
    providers: 'Portefeuilles dont le fournisseur est identifié par sa propre clé (WALLET_CLIENTS)\u00a0:',
    rotationIntro: 'Comment effectuer une rotation de vos clés de signature, et quels en sont les effets.',
    rotateOne: 'Pour changer la clé d’un seul enregistrement, ouvrez « Clés de signature ».',
    howTo: 'Effectuer la rotation',
    howToIntro:
      'Chaque émetteur et chaque vérificateur reçoit une nouvelle clé. Lancez la commande sur la machine du service, avec l’environnement du service. Le service reste en fonctionnement.',
    installed: 'Un service installé',
    rotateCommand: 'la commande pour de nouvelles clés',
    checkout: 'Démarré avec npm start',
    rotateInCheckout: 'la commande pour de nouvelles clés après npm start',
    anotherAlgorithm: 'Un autre algorithme',
    anotherAlgorithmText: 'Une nouvelle clé a l’algorithme de l’ancienne, sauf si vous choisissez un autre algorithme.',
    rotateToEdDsa: 'la commande pour des clés EdDSA',
    rotateToEs256: 'la commande pour des clés ES256',
    stolen: 'Si une clé est volée',
    stolenText:
      'Une rotation n’annule pas les signatures antérieures, car l’ancienne clé reste publiée. Révoquez les attestations signées par l’ancienne clé, puis effectuez une rotation des clés.',
    means: 'Effets',
    meaning: [
      [
        'Attestations émises',
        'Elles restent valables. L’ancienne clé reste publiée, de sorte que les vérificateurs peuvent toujours les contrôler.',
      ],
      [
        'Listes de statuts',
        'L’ancienne clé signe toujours ses propres listes. Les nouvelles attestations vont dans de nouvelles listes.',
      ],
      ['Offres ouvertes', 'Elles restent valables. La nouvelle clé signe l’attestation.'],
      ['Demandes ouvertes', 'Elles gardent leur clé et peuvent toujours recevoir une réponse.'],
      [
        'DID',
        'Un did:web reste le même. Un did:key ou un did:jwk est formé à partir de la clé, donc il change. Informez toutes les parties qui font confiance à l’ancien DID.',
      ],
      [
        'Clés issues de fichiers',
        'Une rotation ne change ni les clés d’ISSUER_X509 et de VERIFIER_X509, ni la clé que désigne VERIFIER_ATTESTATION. Remplacez le fichier et redémarrez le service.',
      ],
      [
        'Vérificateurs qui ont leur propre certificat',
        'La nouvelle clé n’a pas de certificat. Les demandes indiquent le DID jusqu’à ce que vous obteniez ici un nouveau certificat.',
      ],
      [
        'Demandes d’attestation chiffrées',
        'Les portefeuilles connaissent aussitôt la nouvelle clé. L’ancienne clé déchiffre leurs demandes pendant encore un jour.',
      ],
    ],
  },
}
