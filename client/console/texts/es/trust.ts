import type { trust as english } from '../en/trust.js'
import type { InOtherWords } from '../texts.js'
import { count, number } from './numbers.js'

/** The texts in Spanish of trust and keys. */
export const trust: InOtherWords<typeof english> = {
  trust: {
    intro: 'Sus claves de firma, con sus certificados, y los emisores en los que confía.',
    signers: 'Emisores y verificadores',
    trusted: 'Emisores de confianza',
    images: 'Imágenes',
    rotation: 'Rotar las claves',
    issuers: 'Emisores',
    issuersIntro: 'Cada credencial se firma en nombre de un emisor. Cada emisor tiene su propia clave y su propio DID.',
    verifiers: 'Verificadores',
    verifiersIntro:
      'Cada solicitud se hace en nombre de un verificador. Cada verificador tiene su propia clave y su propio DID.',
    noRecord: 'Aún no hay ningún registro',
    noRecordText: 'Cree un registro. Recibe automáticamente una clave y un DID.',
    newIssuer: 'Nuevo emisor',
    newIssuerIntro:
      'El emisor recibe su propia clave y su propio DID. Después se le pueden asignar ofertas y tipos de credencial.',
    newVerifier: 'Nuevo verificador',
    newVerifierIntro:
      'El verificador recibe su propia clave y su propio DID. Después se pueden hacer solicitudes en su nombre.',
    makeIssuer: 'Crear el emisor',
    makeVerifier: 'Crear el verificador',
    name: 'Nombre',
    signsWith: 'Firma con',
    certificate: 'Certificado',
    noCertificate: 'ninguno',
    made: 'Creado',
    until: (day) => `hasta el ${day}`,
    endsSoon: (when) => `caduca ${when}`,
    ended: (when) => `caducó ${when}`,
    names: 'Nombre',
    shownTo: 'Nombre en las carteras',
    didMethod: 'Método DID',
    didMethodIntro: 'Un DID es un nombre que conduce a claves públicas. No se puede cambiar más adelante.',
    didWeb: 'did:web',
    didWebHint: 'Una dirección de este servicio. El DID no cambia cuando se rota la clave.',
    didKey: 'did:key',
    didKeyHint: 'La propia clave. El DID se puede leer sin red, pero cambia con cada rotación de la clave.',
    issuer: 'Emisor',
    issuerIntro: 'Identidad, clave de firma y formatos de este emisor.',
    verifier: 'Verificador',
    verifierIntro: 'Identidad, clave de firma e identificadores de cliente de este verificador.',
    identity: 'Identidad',
    algorithms: {
      ES256: 'ES256 (P-256)',
      ES384: 'ES384 (P-384)',
      EdDSA: 'EdDSA (Ed25519)',
    },
    keyId: 'Identificador de la clave',
    recordId: 'Identificador del registro',
    published: 'Claves públicas',
    didDocument: 'Documento DID publicado',
    showDocument: 'Mostrar el documento DID',
    formerKeys: (n) => count(n, 'clave anterior, que sigue publicada', 'claves anteriores, que siguen publicadas'),
    replaced: 'sustituida',
    signs: 'Formatos que puede firmar',
    canSign: 'sí',
    needsCertificate: 'necesita un certificado',
    needsHost: 'necesita un certificado para el host de este servicio',
    needsAttestation: 'necesita una atestación',
    assigned: 'Tipos de credencial',
    assignedNone:
      'Ningún tipo está asignado solo a este emisor. Expide los tipos que no están asignados a ningún emisor.',
    assignedIntro: 'Tipos asignados a este emisor, además de los tipos sin asignar:',
    toTypes: 'Todos los tipos de credencial',
    clientIds: 'Identificadores de cliente',
    clientIdsIntro: 'Una solicitud identifica a este verificador de una de estas maneras.',
    prefixes: {
      decentralized_identifier: 'Por su DID',
      x509_san_dns: 'Por el nombre de host de su certificado',
      x509_hash: 'Por su certificado',
      redirect_uri: 'Por la dirección de respuesta, sin firma',
      verifier_attestation: 'Por una atestación de un tercero',
    },
    chainIntro:
      'El certificado de la clave es el primero. Cada certificado siguiente certifica el certificado anterior.',
    subject: 'Sujeto',
    certifiedBy: 'Emitido por',
    certifiedNames: 'Nombres',
    serial: 'Número de serie',
    validity: 'Vigencia',
    fromTo: (from, to) => `del ${from} al ${to}`,
    fingerprint: 'Huella digital (SHA-256)',
    noIssuerCertificate:
      'Este emisor no tiene certificado. Las carteras lo identifican por su DID. No puede expedir documentos móviles.',
    noOwnCertificate:
      'Este emisor no tiene certificado. Solo el emisor predeterminado puede tener un certificado, del archivo de ISSUER_X509.',
    noVerifierCertificate:
      'Este verificador no tiene certificado. Las carteras lo identifican por su DID. Muchas carteras exigen un certificado.',
    getCertificate: 'Obtener un certificado',
    renewCertificate: 'Renovar el certificado',
    requestIntro:
      'Una petición de certificado (CSR) contiene la clave pública y el nombre que se debe certificar. La clave privada permanece en este servicio.',
    showRequest: 'Mostrar la petición de certificado',
    request: 'Petición de certificado',
    downloadRequest: 'Descargar la petición',
    sendRequest:
      'Envíe la petición a una autoridad de certificación en la que confíen las carteras. La autoridad devuelve un certificado.',
    chain: 'Certificado de la autoridad',
    chainHint: 'Como texto (PEM): primero el certificado y después los certificados de la propia autoridad.',
    useCertificate: 'Usar este certificado',
    certified: 'El certificado ya está en uso.',
    fileRequest:
      'Cree una clave y una petición de certificado en la máquina del servicio. Indique su país y su organización.',
    requestCommand: 'el comando para una petición de certificado',
    fileSend: (file) =>
      `Envíe ${file} a una autoridad de certificación en la que confíen otros. La autoridad devuelve un certificado.`,
    fileJoin: 'Reúna en un archivo, en este orden, la clave, el certificado y los certificados de la propia autoridad.',
    joinCommand: 'el comando que une la clave y el certificado',
    fileSet: (variable, file) =>
      `Asigne a ${variable} la ruta de ${file} y reinicie el servicio. Proteja el archivo como una contraseña: contiene la clave.`,
    trustedIntro: 'El servicio acepta credenciales de estos emisores. No acepta ninguna otra credencial.',
    added: 'Emisores añadidos',
    addedIntro:
      'Emisores añadidos aquí, además de los de la configuración. Una solicitud que indica emisores de confianza usa solo su propia lista.',
    addedNone: 'Aún no se ha añadido ningún emisor. Añada a continuación un emisor cuyas credenciales desee aceptar.',
    addedNoneRead: 'Aún no se ha añadido ningún emisor.',
    onlyAdmins: 'Los administradores pueden añadir y quitar emisores.',
    trustedIssuer: 'Emisor',
    addedAt: 'Añadido',
    rowActions: 'Acciones',
    removeTrusted: (name) => `Quitar ${name}`,
    removeTitle: (name) => `¿Dejar de confiar en ${name}?`,
    removeText:
      'A partir de ahora no se aceptan las credenciales de este emisor, tampoco en respuestas a solicitudes abiertas. Los resultados existentes se conservan.',
    removeAction: 'Dejar de confiar',
    whom: 'DID o dirección web del emisor',
    whomHint:
      'Por ejemplo, did:web:university.example o https://university.example. Una dirección incluye todos los emisores situados por debajo de ella.',
    note: 'Nota',
    noteHint: 'Una nota sobre el emisor para sus compañeros.',
    addTrusted: 'Confiar en este emisor',
    configured: 'De la configuración',
    configuredIntro: 'El servicio lee estos ajustes al arrancar.',
    entries: {
      self: 'Los emisores de esta instalación',
      x5c: 'Todo emisor con un certificado bajo una de las anclas de confianza siguientes',
      '*': 'Todos los emisores',
    },
    byVariable: 'Definido por TRUSTED_ISSUERS.',
    byProfile: 'TRUSTED_ISSUERS no está definido: este es el valor predeterminado.',
    rootsOfIssuers: 'Anclas de confianza de los emisores',
    rootsOfLists: 'Anclas de confianza de las listas de estado',
    rootsOfVerifiers: 'Anclas de confianza de los verificadores',
    rootsOfWallets: 'Anclas de confianza de los proveedores de carteras',
    rootsIntro: (variable) =>
      `Del archivo de ${variable}. Para cambiarlas, sustituya el archivo y reinicie el servicio.`,
    noRootsOfIssuers:
      'Ninguna. Para aceptar emisores por sus certificados, como exigen los documentos móviles, asigne a TRUST_ANCHORS un archivo con anclas de confianza.',
    noRootsOfVerifiers:
      'Ninguna. Las carteras alojadas no responden a ningún verificador que se identifique con un certificado. Para cambiarlo, asigne a VERIFIER_TRUST_ANCHORS un archivo con anclas de confianza.',
    noRootsOfWallets:
      'Ninguna. No se usan certificados para comprobar que una cartera es auténtica. Para cambiarlo, asigne a WALLET_TRUST_ANCHORS un archivo con las anclas de confianza de los proveedores de carteras.',
    moreRoots: (n) => `Y ${number(n)} más.`,
    providers: 'Carteras cuyo proveedor se identifica con su propia clave (WALLET_CLIENTS):',
    rotationIntro: 'Cómo rotar sus claves de firma y qué efectos tiene una rotación.',
    howTo: 'Ejecutar la rotación',
    howToIntro:
      'Todos los emisores y verificadores reciben una clave nueva. Ejecute el comando en la máquina del servicio, con el entorno del servicio. El servicio sigue en marcha.',
    installed: 'Un servicio instalado',
    rotateCommand: 'el comando para claves nuevas',
    checkout: 'Iniciado con npm start',
    rotateInCheckout: 'el comando para claves nuevas después de npm start',
    anotherAlgorithm: 'Otro algoritmo',
    anotherAlgorithmText:
      'Una clave nueva tiene el algoritmo de la clave anterior, salvo que usted elija otro algoritmo.',
    rotateToEdDsa: 'el comando para claves EdDSA',
    rotateToEs256: 'el comando para claves ES256',
    stolen: 'Si roban una clave',
    stolenText:
      'Una rotación no invalida las firmas anteriores, porque la clave anterior sigue publicada. Revoque las credenciales que firmó la clave anterior y después rote las claves.',
    means: 'Efectos',
    meaning: [
      [
        'Credenciales expedidas',
        'Siguen siendo válidas. La clave anterior sigue publicada, de modo que los verificadores aún pueden comprobarlas.',
      ],
      [
        'Listas de estado',
        'La clave anterior sigue firmando sus propias listas. Las credenciales nuevas se incluyen en listas nuevas.',
      ],
      ['Ofertas abiertas', 'Siguen siendo válidas. La clave nueva firma la credencial.'],
      ['Solicitudes abiertas', 'Mantienen su clave y aún se pueden responder.'],
      [
        'DID',
        'Un did:web no cambia. Un did:key o did:jwk se forma a partir de la clave, por lo que cambia. Informe a todos los que confían en el DID anterior.',
      ],
      [
        'Claves de archivos',
        'Una rotación no cambia las claves de ISSUER_X509 y VERIFIER_X509, ni la clave que nombra VERIFIER_ATTESTATION. Sustituya el archivo y reinicie el servicio.',
      ],
      [
        'Verificadores con certificado propio',
        'La clave nueva no tiene certificado. Las solicitudes indican el DID hasta que obtenga aquí un certificado nuevo.',
      ],
      [
        'Peticiones de credencial cifradas',
        'Las carteras conocen de inmediato la clave nueva. La clave anterior descifra sus peticiones durante un día más.',
      ],
    ],
  },
}
