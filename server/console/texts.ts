import { DEFAULT_LOCALE } from '../pages/languages.js'
import { type Asking, readerLanguages } from '../pages/speech.js'

/** The texts of the pages about a login of the console. `{name}` and `{provider}` are placeholders. */
interface LoginTexts {
  readonly notLoggedIn: string
  readonly refused: string
  readonly failed: string
  readonly unavailable: string
  readonly unusable: string
  readonly unknown: string
  readonly noLogin: string
  readonly insecure: string
  readonly opaque: string
  readonly notAccepted: string
  readonly again: string
  readonly otherAccount: string
  readonly noRole: string
  readonly signedIn: string
  readonly signedInAs: string
  readonly oneRole: string
  readonly mayAll: string
  readonly mayIssue: string
  readonly mayVerify: string
  readonly askFor: string
  readonly provider: string
}

const en: LoginTexts = {
  notLoggedIn: 'You are not logged in',
  refused: 'The login was refused or cancelled.',
  failed: 'The identity provider’s answer could not be used.',
  unavailable: 'The identity provider cannot be used at the moment. Try again in a while.',
  unusable: 'This login cannot be used',
  unknown: 'It was begun in another browser or window, was used before, or took more than ten minutes.',
  noLogin: 'No login here',
  insecure: 'Over plain http, login is possible only on the machine of the service. Open the console over https.',
  opaque:
    'The identity provider’s access token is not a JWT, so the service cannot read your rights. Set up the provider to issue JWTs for this service.',
  notAccepted:
    'The identity provider’s access token is not accepted here: it is for another service, or another party signed it.',
  again: 'Log in again',
  otherAccount: 'Use another account',
  noRole: 'You have no role here',
  signedIn: 'You are signed in, but your account has no role that opens this console.',
  signedInAs: 'You are signed in as {name}, but your account has no role that opens this console.',
  oneRole: 'One of these roles is enough:',
  mayAll: 'may do everything',
  mayIssue: 'may issue credentials',
  mayVerify: 'may verify credentials',
  askFor:
    'Ask the people who manage the accounts of {provider} to give your account one of these roles. Then log in again.',
  provider: 'the identity provider',
}

const de: LoginTexts = {
  notLoggedIn: 'Sie sind nicht angemeldet',
  refused: 'Die Anmeldung wurde abgelehnt oder abgebrochen.',
  failed: 'Die Antwort des Anmeldedienstes konnte nicht verwendet werden.',
  unavailable: 'Der Anmeldedienst ist zurzeit nicht erreichbar. Versuchen Sie es später noch einmal.',
  unusable: 'Diese Anmeldung kann nicht verwendet werden',
  unknown:
    'Sie wurde in einem anderen Browser oder Fenster begonnen, wurde schon benutzt oder hat länger als zehn Minuten gedauert.',
  noLogin: 'Hier ist keine Anmeldung möglich',
  insecure:
    'Über http ohne Verschlüsselung ist die Anmeldung nur auf dem Rechner des Dienstes möglich. Öffnen Sie die Konsole über https.',
  opaque:
    'Das Zugriffstoken des Anmeldedienstes ist kein JWT. Deshalb kann der Dienst Ihre Rechte nicht lesen. Der Anmeldedienst muss für diesen Dienst JWTs ausstellen.',
  notAccepted:
    'Das Zugriffstoken des Anmeldedienstes wird hier nicht angenommen: Es gilt für einen anderen Dienst, oder jemand anderes hat es signiert.',
  again: 'Noch einmal anmelden',
  otherAccount: 'Ein anderes Konto verwenden',
  noRole: 'Sie haben hier keine Rolle',
  signedIn: 'Sie sind angemeldet, aber Ihr Konto hat keine Rolle, die diese Konsole öffnet.',
  signedInAs: 'Sie sind als {name} angemeldet, aber Ihr Konto hat keine Rolle, die diese Konsole öffnet.',
  oneRole: 'Eine dieser Rollen genügt:',
  mayAll: 'darf alles',
  mayIssue: 'darf Nachweise ausstellen',
  mayVerify: 'darf Nachweise prüfen',
  askFor:
    'Bitten Sie die Personen, die die Konten von {provider} verwalten, Ihrem Konto eine dieser Rollen zu geben. Melden Sie sich danach noch einmal an.',
  provider: 'Ihrem Anmeldedienst',
}

const fr: LoginTexts = {
  notLoggedIn: 'Vous n’êtes pas connecté',
  refused: 'La connexion a été refusée ou annulée.',
  failed: 'La réponse du fournisseur d’identité n’a pas pu être utilisée.',
  unavailable: 'Le fournisseur d’identité est indisponible pour le moment. Réessayez un peu plus tard.',
  unusable: 'Cette connexion ne peut pas être utilisée',
  unknown:
    'Elle a été commencée dans un autre navigateur ou une autre fenêtre, a déjà été utilisée ou a duré plus de dix minutes.',
  noLogin: 'Pas de connexion possible ici',
  insecure:
    'En http non chiffré, la connexion n’est possible que sur la machine du service. Ouvrez la console en https.',
  opaque:
    'Le jeton d’accès du fournisseur d’identité n’est pas un JWT : le service ne peut pas lire vos droits. Le fournisseur doit émettre des JWT pour ce service.',
  notAccepted:
    'Le jeton d’accès du fournisseur d’identité n’est pas accepté ici : il est destiné à un autre service ou a été signé par un tiers.',
  again: 'Se connecter à nouveau',
  otherAccount: 'Utiliser un autre compte',
  noRole: 'Vous n’avez aucun rôle ici',
  signedIn: 'Vous êtes connecté, mais votre compte n’a aucun rôle qui donne accès à cette console.',
  signedInAs:
    'Vous êtes connecté en tant que {name}, mais votre compte n’a aucun rôle qui donne accès à cette console.',
  oneRole: 'L’un de ces rôles suffit :',
  mayAll: 'peut tout faire',
  mayIssue: 'peut émettre des attestations',
  mayVerify: 'peut vérifier des attestations',
  askFor:
    'Demandez aux personnes qui gèrent les comptes de {provider} d’attribuer l’un de ces rôles à votre compte, puis connectez-vous à nouveau.',
  provider: 'votre fournisseur d’identité',
}

const es: LoginTexts = {
  notLoggedIn: 'No ha iniciado sesión',
  refused: 'El inicio de sesión se ha rechazado o cancelado.',
  failed: 'No se ha podido utilizar la respuesta del proveedor de identidad.',
  unavailable: 'El proveedor de identidad no está disponible en este momento. Inténtelo de nuevo más tarde.',
  unusable: 'Este inicio de sesión no se puede utilizar',
  unknown: 'Se inició en otro navegador o ventana, ya se utilizó o duró más de diez minutos.',
  noLogin: 'Aquí no se puede iniciar sesión',
  insecure: 'Con http sin cifrar, solo se puede iniciar sesión en el equipo del servicio. Abra la consola con https.',
  opaque:
    'El token de acceso del proveedor de identidad no es un JWT, por lo que el servicio no puede leer sus permisos. El proveedor debe emitir JWT para este servicio.',
  notAccepted:
    'El token de acceso del proveedor de identidad no se acepta aquí: es para otro servicio o lo ha firmado otra parte.',
  again: 'Iniciar sesión de nuevo',
  otherAccount: 'Usar otra cuenta',
  noRole: 'Aquí no tiene ningún rol',
  signedIn: 'Ha iniciado sesión, pero su cuenta no tiene ningún rol que dé acceso a esta consola.',
  signedInAs: 'Ha iniciado sesión como {name}, pero su cuenta no tiene ningún rol que dé acceso a esta consola.',
  oneRole: 'Basta con uno de estos roles:',
  mayAll: 'puede hacerlo todo',
  mayIssue: 'puede emitir credenciales',
  mayVerify: 'puede verificar credenciales',
  askFor:
    'Pida a las personas que gestionan las cuentas de {provider} que asignen uno de estos roles a su cuenta. Después, inicie sesión de nuevo.',
  provider: 'su proveedor de identidad',
}

const it: LoginTexts = {
  notLoggedIn: 'Non hai effettuato l’accesso',
  refused: 'L’accesso è stato rifiutato o annullato.',
  failed: 'Non è stato possibile utilizzare la risposta del fornitore di identità.',
  unavailable: 'Il fornitore di identità non è disponibile al momento. Riprova più tardi.',
  unusable: 'Questo accesso non può essere utilizzato',
  unknown:
    'È stato avviato in un altro browser o in un’altra finestra, è già stato utilizzato o è durato più di dieci minuti.',
  noLogin: 'Qui non è possibile accedere',
  insecure: 'Con http non cifrato l’accesso è possibile solo sulla macchina del servizio. Apri la console con https.',
  opaque:
    'Il token di accesso del fornitore di identità non è un JWT, quindi il servizio non può leggere i tuoi diritti. Il fornitore deve emettere JWT per questo servizio.',
  notAccepted:
    'Il token di accesso del fornitore di identità non è accettato qui: è destinato a un altro servizio o è stato firmato da altri.',
  again: 'Accedi di nuovo',
  otherAccount: 'Usa un altro account',
  noRole: 'Qui non hai alcun ruolo',
  signedIn: 'Hai effettuato l’accesso, ma il tuo account non ha alcun ruolo che apre questa console.',
  signedInAs: 'Hai effettuato l’accesso come {name}, ma il tuo account non ha alcun ruolo che apre questa console.',
  oneRole: 'Basta uno di questi ruoli:',
  mayAll: 'può fare tutto',
  mayIssue: 'può emettere attestati',
  mayVerify: 'può verificare attestati',
  askFor:
    'Chiedi a chi gestisce gli account di {provider} di assegnare al tuo account uno di questi ruoli. Poi accedi di nuovo.',
  provider: 'il tuo fornitore di identità',
}

const LANGUAGES: ReadonlyMap<string, LoginTexts> = new Map([
  ['en', en],
  ['de', de],
  ['fr', fr],
  ['es', es],
  ['it', it],
])

/** Texts with the BCP 47 tag of their language. */
export interface SpokenLoginTexts {
  readonly lang: string
  readonly texts: LoginTexts
}

/**
 * The texts for the reader of a page about a login: in the first language of the reader that these pages speak, otherwise in English.
 *
 * @param baseUrl the base URL of the page's address
 */
export function loginTextsFor(request: Asking, baseUrl: string): SpokenLoginTexts {
  const primary = readerLanguages(request, baseUrl).map((range) => range.split('-')[0] ?? range)
  const lang = primary.find((each) => LANGUAGES.has(each)) ?? DEFAULT_LOCALE
  return { lang, texts: LANGUAGES.get(lang) ?? en }
}
