import { count } from '../fr/numbers.js'
import type { SigningKeyTexts } from './texts.js'

/** The texts in French of signing keys. */
export const fr: SigningKeyTexts = {
  title: 'Clés de signature',
  intro: 'Quel enregistrement signe avec quelle clé, et où se trouve la clé.',
  database: 'Base de données',
  databaseIntro:
    'La base de données contient ces clés privées. Elles sont chiffrées si KEY_ENCRYPTION_KEY ou KEY_ENCRYPTION_PROVIDER est défini.',
  kinds: {
    pkcs11: 'Module matériel de sécurité (PKCS#11)',
    'aws-kms': 'AWS KMS',
    'azure-keyvault': 'Azure Key Vault',
    'google-kms': 'Google Cloud KMS',
    'vault-transit': 'Vault Transit',
  },
  noProviders: 'Aucun fournisseur de clés',
  noProvidersText:
    'Un fournisseur de clés est un matériel ou un service qui crée des clés et signe avec elles. Les clés privées ne le quittent jamais. Décrivez le fournisseur dans un fichier et donnez à KEY_PROVIDERS le chemin de ce fichier. Le document docs/operations/keys.md explique chaque étape.',
  toSettings: 'Ouvrir les paramètres',
  health: 'État',
  up: 'fonctionne',
  away: 'inutilisable',
  reasons: {
    unavailable: 'Le fournisseur est inaccessible ou surchargé.',
    timeout: 'Le fournisseur ne répond pas à temps.',
    refused:
      'Le fournisseur refuse ce service. Vérifiez les identifiants du service. S’ils ont changé, redémarrez le service.',
    failed: 'Le fournisseur a échoué pour une raison inconnue.',
  },
  effect: 'Les enregistrements dont la clé est ici ne peuvent pas signer tant que le fournisseur ne fonctionne pas.',
  since: 'Depuis',
  message: 'Message du service',
  checkedAt: 'Vérifié',
  checkAgain: 'Vérifier à nouveau',
  none: 'Aucun enregistrement ne signe avec une clé d’ici.',
  record: 'Enregistrement',
  recordKinds: { issuer: 'Émetteur', verifier: 'Vérificateur' },
  signsWith: 'Algorithme',
  keyMade: 'Clé créée',
  reference: 'Nom chez le fournisseur',
  certificate: 'Certificat',
  noCertificate: 'aucun',
  former: 'Anciennes clés',
  formerKeys: (n: number) => `${count(n, 'ancienne clé', 'anciennes clés')} pour des listes de statuts`,
  signing: 'La clé signe',
  signings: {
    every: 'chaque document',
    delegated: 'les certificats de signataires éphémères',
    uncertified: 'chaque document, jusqu’à ce que l’enregistrement ait un certificat',
  },
  signingFixed: 'ISSUER_SIGNING décide pour l’émetteur par défaut.',
  actions: 'Actions',
  rotate: 'Changer',
  rotateOf: {
    issuer: (name: string) => `Changer la clé de l’émetteur ${name}`,
    verifier: (name: string) => `Changer la clé du vérificateur ${name}`,
  },
  kept: {
    'certificate-file': 'La clé appartient à un fichier de certificat. Remplacez le fichier pour changer la clé.',
    attestation: 'La clé appartient à VERIFIER_ATTESTATION. Remplacez l’attestation pour changer la clé.',
  },
  dialog: {
    title: {
      issuer: (name: string) => `Changer la clé de l’émetteur ${name} ?`,
      verifier: (name: string) => `Changer la clé du vérificateur ${name} ?`,
    },
    effects: 'Ce qui se passe',
    newKey: 'La prochaine signature est faite avec la nouvelle clé.',
    didStays: 'Le DID reste le même.',
    didChanges:
      'Le DID change, car il est formé à partir de la clé. Tous ceux qui font confiance au DID actuel ont besoin du nouveau DID.',
    certificate: 'Le certificat reste avec l’ancienne clé. L’enregistrement a besoin d’un nouveau certificat.',
    formerKey: 'L’ancienne clé reste publiée et signe toujours ses propres listes de statuts.',
    place: 'Emplacement de la nouvelle clé',
    placeFixed: 'La configuration impose cet emplacement.',
    algorithm: 'Algorithme',
    run: 'Changer la clé',
    done: 'L’enregistrement signe maintenant avec la nouvelle clé.',
    newDid: 'Nouveau DID',
    next: 'Ce qu’il faut faire maintenant',
    nothing: 'Vous n’avez rien d’autre à faire.',
    steps: {
      'request-certificate': 'Demandez un certificat pour la nouvelle clé.',
      'announce-did': 'Donnez le nouveau DID à tous ceux qui font confiance à l’ancien DID.',
      'keep-former-key': 'Laissez l’ancienne clé à sa place. Elle signe toujours des listes de statuts.',
    },
    toRecord: 'Ouvrir l’enregistrement',
  },
  choice: {
    title: 'Clé',
    intro: 'Le nouvel enregistrement reçoit sa propre clé.',
    place: 'Emplacement de la clé',
    placeHint: 'La clé privée ne quitte jamais un fournisseur de clés.',
    algorithm: 'Algorithme',
    algorithmHint: 'Tous les portefeuilles connaissent ES256.',
    signing: 'Ce que signe la clé',
    every: 'Chaque document',
    everyHint: 'Chaque attestation et chaque liste de statuts demande une signature de la clé.',
    delegated: 'Seulement les certificats de signataires éphémères',
    delegatedHint:
      'Des signataires dans la mémoire du service signent alors les documents. L’enregistrement a besoin d’un certificat d’autorité de certification. D’ici là, sa propre clé signe.',
  },
  certify: {
    save: 'Enregistrer le choix',
    saved: 'Le choix est enregistré. Il s’applique avec le prochain certificat.',
    withCertificate:
      'Le certificat actuel ne correspond pas à ce choix. Le choix s’applique avec un nouveau certificat. Continuez avec les étapes suivantes.',
    send: {
      every:
        'Envoyez la demande à une autorité de certification reconnue par les vérificateurs. L’autorité renvoie un certificat.',
      delegated:
        'Envoyez la demande à une autorité de certification reconnue par les vérificateurs. L’autorité renvoie le certificat d’une autorité subordonnée (CA:TRUE, keyCertSign).',
    },
  },
}
