import com.nimbusds.jose.EncryptionMethod
import com.nimbusds.jose.JOSEObjectType
import com.nimbusds.jose.JWEAlgorithm
import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.JWSHeader
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.Base64URL
import com.nimbusds.jwt.JWTClaimsSet
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.openid4vp.Client
import eu.europa.ec.eudi.openid4vp.Consensus
import eu.europa.ec.eudi.openid4vp.DispatchOutcome
import eu.europa.ec.eudi.openid4vp.EncryptionParameters
import eu.europa.ec.eudi.openid4vp.EncryptionRequirement
import eu.europa.ec.eudi.openid4vp.HashAlgorithm
import eu.europa.ec.eudi.openid4vp.LookupPublicKeyByDIDUrl
import eu.europa.ec.eudi.openid4vp.OpenId4VPConfig
import eu.europa.ec.eudi.openid4vp.OpenId4Vp
import eu.europa.ec.eudi.openid4vp.Resolution
import eu.europa.ec.eudi.openid4vp.ResolvedRequestObject
import eu.europa.ec.eudi.openid4vp.ResponseEncryptionConfiguration
import eu.europa.ec.eudi.openid4vp.SignedRequestConfiguration
import eu.europa.ec.eudi.openid4vp.SupportedClientIdPrefix
import eu.europa.ec.eudi.openid4vp.SupportedRequestUriMethods
import eu.europa.ec.eudi.openid4vp.SupportedTransactionDataType
import eu.europa.ec.eudi.openid4vp.TransactionDataType
import eu.europa.ec.eudi.openid4vp.VerifiablePresentation
import eu.europa.ec.eudi.openid4vp.VerifiablePresentations
import eu.europa.ec.eudi.openid4vp.VpFormatsSupported
import eu.europa.ec.eudi.openid4vp.X509CertificateTrust
import eu.europa.ec.eudi.openid4vp.asException
import io.ktor.client.HttpClient
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.add
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject
import java.net.URLDecoder
import java.security.MessageDigest
import java.security.PublicKey
import java.time.Instant
import java.util.Base64

/** How the wallet fetches a request. */
enum class Fetch { GET, POST, POST_ENCRYPTED }

private const val PAYMENT = "payment"
const val ORIGIN = "https://shop.example"
private const val QUERY = "pid"

private fun hashOf(text: String): String =
    Base64URL.encode(MessageDigest.getInstance("SHA-256").digest(text.toByteArray(Charsets.US_ASCII))).toString()

/** The library of OpenID4VP as a wallet that answers requests of this service. */
class Presenting(private val world: World, private val service: Service, private val http: HttpClient, private val held: Held) {
    private val trust = X509CertificateTrust { chain -> leadsTo(chain, world.accessAuthority) }
    private val apu = EncryptionParameters.DiffieHellman(Base64URL.encode("apu"))

    private fun configured(fetch: Fetch) = OpenId4VPConfig(
        signedRequestConfiguration = SignedRequestConfiguration(
            supportedAlgorithms = listOf(JWSAlgorithm.ES256),
            supportedRequestUriMethods = when (fetch) {
                Fetch.GET -> SupportedRequestUriMethods.Get
                Fetch.POST -> SupportedRequestUriMethods.Default
                Fetch.POST_ENCRYPTED -> SupportedRequestUriMethods.Post(
                    jarEncryption = EncryptionRequirement.Required(
                        listOf(JWEAlgorithm.ECDH_ES),
                        listOf(EncryptionMethod.A256GCM),
                        Curve.P_256,
                    ),
                )
            },
        ),
        responseEncryptionConfiguration = ResponseEncryptionConfiguration.Supported(
            listOf(JWEAlgorithm.ECDH_ES),
            listOf(EncryptionMethod.A256GCM, EncryptionMethod.A128GCM),
        ),
        vpFormatsSupported = VpFormatsSupported(VpFormatsSupported.SdJwtVc.HAIP, VpFormatsSupported.MsoMdoc()),
        supportedTransactionDataTypes = listOf(
            SupportedTransactionDataType.SdJwtVc(TransactionDataType(PAYMENT), setOf(HashAlgorithm.SHA_256)),
        ),
        registrationCertificatePolicy = verifierPolicy(world),
        supportedClientIdPrefixes = listOf(
            SupportedClientIdPrefix.X509Hash(trust),
            SupportedClientIdPrefix.X509SanDns(trust),
            SupportedClientIdPrefix.RedirectUri,
            SupportedClientIdPrefix.DecentralizedIdentifier(LookupPublicKeyByDIDUrl { keyOf(it.toString()) }),
        ),
    )

    /** Reads a key of a `did:web`. */
    private suspend fun keyOf(didUrl: String): PublicKey? {
        val did = didUrl.substringBefore('#')
        val parts = did.removePrefix("did:web:").split(':').map { URLDecoder.decode(it, Charsets.UTF_8) }
        val path = if (parts.size == 1) "/.well-known" else parts.drop(1).joinToString("") { "/$it" }
        val document = Json.parseToJsonElement(http.get("https://${parts.first()}$path/did.json").bodyAsText()).jsonObject
        val methods = document.getValue("verificationMethod").jsonArray.map { it.jsonObject }
        val method = methods.find { it.text("id") in setOf(didUrl, "#${didUrl.substringAfter('#')}") } ?: return null
        return ECKey.parse(method.getValue("publicKeyJwk").toString()).toPublicKey()
    }

    private fun asked(format: String, more: JsonObjectBuilder.() -> Unit): JsonObject = service.post(
        "/authorization-requests",
        buildJsonObject {
            putJsonObject("dcqlQuery") {
                putJsonArray("credentials") {
                    addJsonObject {
                        put("id", QUERY)
                        if (format == "mso_mdoc") {
                            put("format", "mso_mdoc")
                            putJsonObject("meta") { put("doctype_value", "eu.europa.ec.eudi.pid.1") }
                            putJsonArray("claims") { addJsonObject { putJsonArray("path") { add("eu.europa.ec.eudi.pid.1"); add("given_name") } } }
                        } else {
                            put("format", "dc+sd-jwt")
                            putJsonObject("meta") { putJsonArray("vct_values") { add(world.vct) } }
                            putJsonArray("claims") { addJsonObject { putJsonArray("path") { add("given_name") } } }
                        }
                        putJsonArray("trusted_authorities") {
                            addJsonObject {
                                put("type", "etsi_tl")
                                putJsonArray("values") { add(world.pidList) }
                            }
                        }
                    }
                }
            }
            more()
        },
    )

    private fun requestOf(resolution: Resolution): ResolvedRequestObject = when (resolution) {
        is Resolution.Success -> resolution.requestObject
        is Resolution.Invalid -> throw resolution.error.asException()
    }

    private suspend fun resolved(asked: JsonObject, fetch: Fetch): ResolvedRequestObject {
        val address = asked.text("authorizationRequestUri")
        val uri = if (fetch == Fetch.GET) address.replace(Regex("&request_uri_method=post"), "") else address
        val request = requestOf(OpenId4Vp.overRedirects(configured(fetch), http).resolveRequestUri(uri))
        val client = request.client
        demand(client !is Client.X509Hash || request.verifierInfo != null) { "The request has no verifier_info." }
        demand(request.query.credentials.value.single().trustedAuthorities?.single()?.values == listOf(world.pidList)) {
            "The query has no trusted_authorities."
        }
        return request
    }

    /** A presentation with the asked claims and with a key binding JWT (SD-JWT VC; OpenID4VP 1.0 Appendix B.3). */
    private fun presentation(request: ResolvedRequestObject, audience: String): VerifiablePresentations {
        val names = request.query.credentials.value.single().claims.orEmpty().map { it.path.head().toString() }
        val parts = held.credential.trimEnd('~').split('~')
        val shown = parts.drop(1).filter { disclosure ->
            Json.parseToJsonElement(String(Base64.getUrlDecoder().decode(disclosure))).jsonArray[1].let { it.toString().trim('"') in names }
        }
        val presented = (parts.take(1) + shown).joinToString("~", postfix = "~")
        val claims = JWTClaimsSet.Builder()
            .claim("iat", Instant.now().epochSecond)
            .audience(audience)
            .claim("nonce", request.nonce)
            .claim("sd_hash", hashOf(presented))
        request.transactionData?.let { entries ->
            claims.claim("transaction_data_hashes", entries.map { hashOf(it.value) })
            claims.claim("transaction_data_hashes_alg", "sha-256")
        }
        val header = JWSHeader.Builder(JWSAlgorithm.ES256).type(JOSEObjectType("kb+jwt")).build()
        val binding = SignedJWT(header, claims.build()).apply { sign(ECDSASigner(held.key)) }.serialize()
        val answer = VerifiablePresentation.Generic(presented + binding)
        return VerifiablePresentations(mapOf(request.query.credentials.value.single().id to listOf(answer)))
    }

    private fun expectVerified(asked: JsonObject) {
        val session = service.get("/verification-sessions/${asked.text("verificationSessionId")}")
        demand(session.text("state") == "ResponseVerified") { "The session is in ${session["state"]}: ${session["errorMessage"]}" }
    }

    /** Answers a request over HTTP. */
    suspend fun answer(fetch: Fetch, more: JsonObjectBuilder.() -> Unit) {
        val asked = asked("dc+sd-jwt", more)
        val request = resolved(asked, fetch)
        val consensus = Consensus.PositiveConsensus(presentation(request, request.client.id.clientId))
        val outcome = OpenId4Vp.overRedirects(configured(fetch), http).dispatch(request, consensus, apu)
        demand(outcome is DispatchOutcome.VerifierResponse.Accepted) { "The answer was not accepted: $outcome" }
        expectVerified(asked)
    }

    /** Refuses a request for a mobile document: its user does not agree. */
    suspend fun decline(more: JsonObjectBuilder.() -> Unit) {
        val asked = asked("mso_mdoc", more)
        val request = resolved(asked, Fetch.POST)
        OpenId4Vp.overRedirects(configured(Fetch.POST), http).dispatch(request, Consensus.NegativeConsensus, apu)
        val session = service.get("/verification-sessions/${asked.text("verificationSessionId")}")
        demand(session.text("state") == "Error") { "The session is in ${session["state"]}." }
    }

    /** Answers a request over the Digital Credentials API. The program posts the answer as the page would. */
    suspend fun answerOverBrowser(more: JsonObjectBuilder.() -> Unit) {
        val asked = asked("dc+sd-jwt") {
            putJsonArray("expectedOrigins") { add(ORIGIN) }
            more()
        }
        val (protocol, data) = asked.getValue("digitalCredentialRequest").jsonObject.let { it.text("protocol") to it.getValue("data").jsonObject }
        val library = OpenId4Vp.overDcApi(configured(Fetch.POST))
        val request = requestOf(library.resolveRequestObject(protocol, ORIGIN, data))
        val consensus = Consensus.PositiveConsensus(presentation(request, "origin:$ORIGIN"))
        val answer = library.assembleResponse(request, consensus, apu)
        service.postFromPage(
            asked.text("response_uri"),
            buildJsonObject {
                put("protocol", protocol)
                put("data", answer)
            },
        )
        expectVerified(asked)
    }

    companion object {
        /** A transaction that the holder authorizes. */
        fun payment(builder: JsonObjectBuilder) = with(builder) {
            putJsonArray("transactionData") {
                addJsonObject {
                    put("type", PAYMENT)
                    putJsonArray("credential_ids") { add(QUERY) }
                    put("amount", "39.50")
                }
            }
        }
    }
}
