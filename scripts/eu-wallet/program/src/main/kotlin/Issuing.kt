import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import eu.europa.ec.eudi.openid4vci.AuthorizationCode
import eu.europa.ec.eudi.openid4vci.AuthorizeIssuanceConfig
import eu.europa.ec.eudi.openid4vci.AuthorizedRequest
import eu.europa.ec.eudi.openid4vci.CertificateChainTrust
import eu.europa.ec.eudi.openid4vci.Credential
import eu.europa.ec.eudi.openid4vci.CredentialConfigurationIdentifier
import eu.europa.ec.eudi.openid4vci.CredentialIssuanceEvent
import eu.europa.ec.eudi.openid4vci.CredentialIssuerId
import eu.europa.ec.eudi.openid4vci.CredentialResponseEncryptionPolicy
import eu.europa.ec.eudi.openid4vci.DPoPUsage
import eu.europa.ec.eudi.openid4vci.DeferredCredentialQueryOutcome
import eu.europa.ec.eudi.openid4vci.EncryptionSupportConfig
import eu.europa.ec.eudi.openid4vci.IssuanceRequestPayload
import eu.europa.ec.eudi.openid4vci.IssuedCredential
import eu.europa.ec.eudi.openid4vci.Issuer
import eu.europa.ec.eudi.openid4vci.IssuerMetadataPolicy
import eu.europa.ec.eudi.openid4vci.NotificationId
import eu.europa.ec.eudi.openid4vci.OpenId4VCIConfig
import eu.europa.ec.eudi.openid4vci.ParUsage
import eu.europa.ec.eudi.openid4vci.ProofSpecification
import eu.europa.ec.eudi.openid4vci.SubmissionOutcome
import io.ktor.client.HttpClient
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.add
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import java.net.URI

/** An SD-JWT VC with the key of its holder. */
data class Held(val credential: String, val key: ECKey)

/** The variants of a flow. */
data class Flow(
    val format: String,
    val keys: Int = 1,
    val proof: Proof = Proof.JWT,
    val by: AuthorizeIssuanceConfig = AuthorizeIssuanceConfig.FAVOR_SCOPES,
    val encrypted: Boolean = false,
    val offer: JsonObjectBuilder.() -> Unit = {},
) {
    enum class Proof { JWT, ATTESTATION }
}

/** Credentials that a wallet received, and what it needs for the next requests. */
class Taken(
    val issuer: Issuer,
    val authorized: AuthorizedRequest,
    val credentials: List<String>,
    val keys: List<ECKey>,
    val notificationId: NotificationId?,
)

/** The library of OpenID4VCI as a wallet of this service. */
class Issuing(private val world: World, private val service: Service, private val http: HttpClient) {
    private val wallet = Wallet(world.walletProviderKey, world.walletStatus)
    private val trust = CertificateChainTrust { chain -> leadsTo(chain, world.issuerAuthority) }
    private val issuerId = CredentialIssuerId(world.service).getOrThrow()

    suspend fun plainMetadata() {
        val (issuer, servers) = Issuer.metaData(http, issuerId, IssuerMetadataPolicy.IgnoreSigned)
        demand(issuer.credentialConfigurationsSupported.isNotEmpty()) { "There are no configurations." }
        demand(servers.size == 1) { "There are ${servers.size} authorization servers." }
    }

    suspend fun signedMetadata() {
        val (issuer) = Issuer.metaData(http, issuerId, IssuerMetadataPolicy.RequireSigned(trust))
        demand(issuer.metadataSigningCertificate != null) { "The library did not report the certificate." }
        demand(issuer.issuerInfo != null) { "The library did not read issuer_info." }
    }

    /** Metadata below a strange authority must be refused. */
    suspend fun strangeMetadata() {
        val stranger = CertificateChainTrust { chain -> leadsTo(chain, world.registrarAuthority) }
        val refused = runCatching { Issuer.metaData(http, issuerId, IssuerMetadataPolicy.RequireSigned(stranger)) }
        demand(refused.isFailure) { "The library accepted metadata that a strange authority certifies." }
    }

    private fun configured(flow: Flow) = OpenId4VCIConfig(
        clientAuthentication = wallet.authentication,
        authFlowRedirectionURI = URI(REDIRECT_URI),
        encryptionSupportConfig = EncryptionSupportConfig(
            Curve.P_256,
            2048,
            if (flow.encrypted) CredentialResponseEncryptionPolicy.REQUIRED else CredentialResponseEncryptionPolicy.SUPPORTED,
        ),
        authorizeIssuanceConfig = flow.by,
        dPoPUsage = DPoPUsage.Required(wallet.dpopConfig),
        parUsage = ParUsage.Required(),
        issuerMetadataPolicy = IssuerMetadataPolicy.RequireSigned(trust),
        registrationCertificatePolicy = issuerPolicy(world),
    )

    private fun offered(flow: Flow, more: JsonObjectBuilder.() -> Unit): JsonObject = service.post(
        "/credential-offers",
        buildJsonObject {
            putJsonArray("credentialConfigurationIds") { add(configurationOf(flow)) }
            put("credentialSubject", world.subject)
            more()
            flow.offer(this)
        },
    )

    private fun configurationOf(flow: Flow) = "${world.type}-${flow.format}"

    private suspend fun issuerFor(flow: Flow, offerUri: String): Issuer {
        val (issuer, warnings) = Issuer.make(configured(flow), offerUri, http).getOrThrow()
        demand(warnings.isEmpty()) { "The library warns: $warnings" }
        return issuer
    }

    /** An offer with a pre-authorized code and a transaction code. */
    suspend fun preAuthorized(flow: Flow, byValue: Boolean = false): Taken {
        val offer = offered(flow) { put("txCode", true) }
        val uri =
            if (byValue) "openid-credential-offer://?credential_offer=" + java.net.URLEncoder.encode(offer["credentialOffer"].toString(), Charsets.UTF_8)
            else offer.text("credentialOfferUri")
        val issuer = issuerFor(flow, uri)
        return take(issuer, issuer.authorizeWithPreAuthorizationCode(offer.text("txCode")).getOrThrow(), flow)
    }

    /** An offer with an authorization code. */
    suspend fun authorizationCode(flow: Flow): Taken {
        val offer = offered(flow) { put("grant", "authorization_code") }
        val issuer = issuerFor(flow, offer.text("credentialOfferUri"))
        return take(issuer, authorize(issuer), flow)
    }

    /** A wallet that begins without an offer, for a user who can sign in. */
    suspend fun walletInitiated(flow: Flow): Taken {
        offered(flow) {
            put("grant", "authorization_code")
            put("forSubject", "local-admin")
        }
        val identifiers = listOf(CredentialConfigurationIdentifier(configurationOf(flow)))
        val (issuer) = Issuer.makeWalletInitiated(configured(flow), issuerId, identifiers, http).getOrThrow()
        return take(issuer, authorize(issuer), flow)
    }

    private suspend fun authorize(issuer: Issuer): AuthorizedRequest {
        val prepared = issuer.prepareAuthorizationRequest().getOrThrow()
        val answer = io.ktor.http.Url(Browser(world).accept(prepared.authorizationCodeURL.value.toString()).toString())
        val code = requireNotNull(answer.parameters["code"]) { "The browser was sent to $answer." }
        val state = requireNotNull(answer.parameters["state"]) { "The browser was sent to $answer." }
        demand(answer.parameters["iss"] == world.service) { "The answer has no iss (RFC 9207)." }
        return with(issuer) { prepared.authorizeWithAuthorizationCode(AuthorizationCode(code), state).getOrThrow() }
    }

    private fun payloadFor(authorized: AuthorizedRequest, flow: Flow): IssuanceRequestPayload {
        val configuration = CredentialConfigurationIdentifier(configurationOf(flow))
        val identifier = authorized.credentialIdentifiers?.get(configuration)?.firstOrNull()
        return if (identifier == null) IssuanceRequestPayload.ConfigurationBased(configuration)
        else IssuanceRequestPayload.IdentifierBased(configuration, identifier)
    }

    private fun proofOf(flow: Flow, keys: List<ECKey>): ProofSpecification = when (flow.proof) {
        Flow.Proof.JWT -> wallet.jwtProof(keys)
        Flow.Proof.ATTESTATION -> wallet.attestationProof(keys)
    }

    private suspend fun requested(issuer: Issuer, authorized: AuthorizedRequest, flow: Flow, keys: List<ECKey>) =
        with(issuer) { authorized.request(payloadFor(authorized, flow), proofOf(flow, keys)).getOrThrow() }

    private suspend fun take(issuer: Issuer, authorized: AuthorizedRequest, flow: Flow): Taken {
        val keys = List(flow.keys) { newKey() }
        val (next, outcome) = requested(issuer, authorized, flow, keys)
        return when (outcome) {
            is SubmissionOutcome.Success ->
                Taken(issuer, next, compact(outcome.credentials, flow.keys), keys, outcome.notificationId)
            is SubmissionOutcome.Failed -> throw outcome.error
            is SubmissionOutcome.Deferred -> error("The credential is deferred.")
        }
    }

    private fun compact(issued: List<IssuedCredential>, wanted: Int): List<String> {
        demand(issued.size == wanted) { "There are ${issued.size} credentials for $wanted keys." }
        return issued.map { (it.credential as Credential.Str).value }
    }

    /** Tells the issuer that the wallet stored the credential. */
    suspend fun notify(taken: Taken) {
        val id = requireNotNull(taken.notificationId) { "The answer has no notification_id." }
        with(taken.issuer) { taken.authorized.notify(CredentialIssuanceEvent.Accepted(id, "Stored.")).getOrThrow() }
    }

    /** Refreshes the access token, and takes another credential with the new one. */
    suspend fun refresh(taken: Taken, flow: Flow): Taken {
        val refreshed = with(taken.issuer) { taken.authorized.refresh().getOrThrow() }
        demand(refreshed.accessToken != taken.authorized.accessToken) { "The access token is the former one." }
        return take(taken.issuer, refreshed, flow)
    }

    /** Takes a credential that the issuer approves only after the first request. */
    suspend fun deferred(flow: Flow): Taken {
        val offer = offered(flow) {
            put("grant", "authorization_code")
            put("deferred", true)
        }
        val issuer = issuerFor(flow, offer.text("credentialOfferUri"))
        val keys = List(flow.keys) { newKey() }
        val (authorized, outcome) = requested(issuer, authorize(issuer), flow, keys)
        demand(outcome is SubmissionOutcome.Deferred) { "The credential is not deferred: $outcome" }
        val transaction = (outcome as SubmissionOutcome.Deferred).transactionId
        val (waiting, pending) = with(issuer) { authorized.queryForDeferredCredential(transaction).getOrThrow() }
        demand(pending is DeferredCredentialQueryOutcome.IssuancePending) { "The credential is not pending: $pending" }
        service.post("/credential-offer-sessions/${offer.text("credentialOfferSessionId")}/approve", buildJsonObject { })
        val (next, issued) = with(issuer) { waiting.queryForDeferredCredential(transaction).getOrThrow() }
        demand(issued is DeferredCredentialQueryOutcome.Issued) { "The credential was not issued: $issued" }
        issued as DeferredCredentialQueryOutcome.Issued
        return Taken(issuer, next, compact(issued.credentials, flow.keys), keys, issued.notificationId)
    }
}
