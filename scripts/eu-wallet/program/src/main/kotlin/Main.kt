import eu.europa.ec.eudi.openid4vci.AuthorizeIssuanceConfig
import eu.europa.ec.eudi.etsi119602.consultation.eu.EUPIDProvidersList
import eu.europa.ec.eudi.etsi119602.consultation.eu.EUWRPACProvidersList
import eu.europa.ec.eudi.etsi119602.consultation.eu.EUWRPRCProvidersList
import eu.europa.ec.eudi.etsi119602.consultation.eu.EUWalletProvidersList
import eu.europa.ec.eudi.statium.Status
import io.ktor.client.HttpClient
import io.ktor.client.engine.java.Java
import io.ktor.client.plugins.contentnegotiation.ContentNegotiation
import io.ktor.serialization.kotlinx.json.json
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put
import kotlin.system.exitProcess

private const val SD_JWT = "sd-jwt"
private const val MDOC = "mdoc"

private fun httpFor(world: World) = HttpClient(Java) {
    engine { config { sslContext(tlsOf(world)) } }
    install(ContentNegotiation) { json(Json { ignoreUnknownKeys = true }) }
}

private fun JsonObjectBuilder.haip() = put("profile", "haip")

/** The steps of OpenID4VCI. Returns the credentials for the further steps. */
private suspend fun Steps.issuing(issuing: Issuing): Held? {
    step("issuer metadata and authorization server metadata") { issuing.plainMetadata() }
    step("signed metadata with issuer_info, below a trusted authority") { issuing.signedMetadata() }
    step("signed metadata below a strange authority are refused") { issuing.strangeMetadata() }

    val taken = step("pre-authorized code and transaction code, SD-JWT VC, jwt proof") { issuing.preAuthorized(Flow(SD_JWT)) }
    step("the same by value, mobile document") { issuing.preAuthorized(Flow(MDOC), byValue = true) }
    step("batch of three, SD-JWT VC, jwt proof") { issuing.preAuthorized(Flow(SD_JWT, keys = 3)) }
    step("batch of three, mobile document, proof type attestation") {
        issuing.preAuthorized(Flow(MDOC, keys = 3, proof = Flow.Proof.ATTESTATION))
    }
    step("encrypted request and answer") { issuing.preAuthorized(Flow(SD_JWT, encrypted = true)) }

    val scoped = Flow(SD_JWT)
    val byScope = step("authorization code by scope: PAR, PKCE, DPoP, wallet attestation") { issuing.authorizationCode(scoped) }
    if (byScope != null) {
        step("notification") { issuing.notify(byScope) }
        step("refreshed access token") { issuing.refresh(byScope, scoped) }
    }
    step("authorization code by authorization_details, mobile document") {
        issuing.authorizationCode(Flow(MDOC, by = AuthorizeIssuanceConfig.AUTHORIZATION_DETAILS))
    }
    step("authorization code without an offer") { issuing.walletInitiated(Flow(SD_JWT)) }
    step("deferred credential") { issuing.deferred(Flow(SD_JWT)) }
    step("deferred credential, encrypted") { issuing.deferred(Flow(SD_JWT, encrypted = true)) }
    step("HAIP, SD-JWT VC") { issuing.authorizationCode(Flow(SD_JWT, offer = { haip() })) }
    step("HAIP, mobile document, batch of two, proof type attestation") {
        issuing.authorizationCode(Flow(MDOC, keys = 2, proof = Flow.Proof.ATTESTATION, offer = { haip() }))
    }
    return taken?.let { Held(it.credentials.first(), it.keys.first()) }
}

/** The steps of OpenID4VP. */
private suspend fun Steps.presenting(presenting: Presenting) {
    fun prefix(name: String, mode: String = "direct_post.jwt"): JsonObjectBuilder.() -> Unit = {
        put("clientIdPrefix", name)
        put("responseMode", mode)
    }
    step("x509_hash with a registration certificate, request by POST, encrypted answer") {
        presenting.answer(Fetch.POST, prefix("x509_hash"))
    }
    step("the same, request by GET") { presenting.answer(Fetch.GET, prefix("x509_hash")) }
    step("the same, encrypted request") { presenting.answer(Fetch.POST_ENCRYPTED, prefix("x509_hash")) }
    step("the same, answer without encryption") { presenting.answer(Fetch.POST, prefix("x509_hash", "direct_post")) }
    step("x509_san_dns") { presenting.answer(Fetch.POST, prefix("x509_san_dns")) }
    step("decentralized_identifier") { presenting.answer(Fetch.POST, prefix("decentralized_identifier")) }
    step("redirect_uri") { presenting.answer(Fetch.POST, prefix("redirect_uri")) }
    step("HAIP") {
        presenting.answer(Fetch.POST) {
            haip()
            put("redirectUri", "https://shop.example/done")
        }
    }
    step("transaction data") {
        presenting.answer(Fetch.POST) {
            prefix("x509_hash")()
            Presenting.payment(this)
        }
    }
    step("request for a mobile document, which the user declines") { presenting.decline(prefix("x509_hash")) }
    step("Digital Credentials API, signed, dc_api.jwt") { presenting.answerOverBrowser(prefix("x509_hash", "dc_api.jwt")) }
    step("Digital Credentials API, unsigned, dc_api") {
        presenting.answerOverBrowser {
            put("responseMode", "dc_api")
            put("signed", false)
        }
    }
}

/** The steps of Token Status Lists. */
private suspend fun Steps.statuses(statuses: Statuses, world: World, held: Held) {
    step("status of the SD-JWT VC: valid") {
        val status = statuses.statusOf(held.credential, world.issuerAuthority)
        demand(status == Status.Valid) { "The status is $status." }
    }
    step("status of a registration certificate: valid") {
        val status = statuses.statusOf(world.registrationStatus, 1, world.registrarAuthority)
        demand(status == Status.Valid) { "The status is $status." }
    }
}

/** The steps of ETSI TS 119 602. */
private suspend fun Steps.lists(lists: Lists, world: World) {
    val operator = certificateOf(world.listOperator)
    val issuerAuthority = certificateOf(world.issuerAuthority)
    step("list of PID providers") { lists.read("${world.lists}/pid.jwt", EUPIDProvidersList, operator, issuerAuthority) }
    step("list of wallet providers") {
        lists.read("${world.lists}/wallet.jwt", EUWalletProvidersList, operator, certificateOf(world.walletAuthority))
    }
    step("list of providers of access certificates") {
        lists.read("${world.lists}/wrpac.jwt", EUWRPACProvidersList, operator, certificateOf(world.accessAuthority))
    }
    step("list of providers of registration certificates") {
        lists.read("${world.lists}/wrprc.jwt", EUWRPRCProvidersList, operator, certificateOf(world.registrarAuthority))
    }
    step("list of PID providers that the service itself publishes") {
        val issuer = certificateOf(world.issuer)
        lists.read("${world.service}/trust-lists/issuers", EUPIDProvidersList, issuer, issuer)
    }
}

fun main(arguments: Array<String>) {
    val world = World.read(arguments.single())
    val service = Service(world)
    val steps = Steps()
    httpFor(world).use { http ->
        runBlocking {
            val held = steps.issuing(Issuing(world, service, http))
            if (held != null) {
                steps.presenting(Presenting(world, service, http, held))
                val verifying = Verifying(world, http)
                steps.step("SD-JWT VC below a trusted authority") { verifying.verify(held.credential) }
                steps.step("type metadata of the SD-JWT VC") { verifying.typeMetadata() }
                steps.step("SD-JWT VC below a strange authority is refused") { verifying.strange(held.credential) }
                steps.statuses(Statuses(http), world, held)
            }
            steps.lists(Lists(http), world)
        }
    }
    exitProcess(steps.end())
}
