import com.nimbusds.jose.crypto.ECDSAVerifier
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.X509CertUtils
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.openid4vci.CredentialConfiguration
import eu.europa.ec.eudi.openid4vci.MsoMdocCredential
import eu.europa.ec.eudi.openid4vci.RegistrationCertificatePolicy as IssuerPolicy
import eu.europa.ec.eudi.openid4vci.SdJwtVcCredential
import eu.europa.ec.eudi.openid4vp.RegistrationCertificatePolicy as VerifierPolicy
import eu.europa.ec.eudi.openid4vp.X509CertificateTrust
import eu.europa.ec.eudi.openid4vp.dcql.DCQL
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import org.bouncycastle.asn1.ASN1ObjectIdentifier
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder
import java.security.cert.X509Certificate

/** `organizationIdentifier` in the subject of an access certificate (ETSI EN 319 412-3 §4.2.1). */
private fun organizationOf(certificate: X509Certificate): String? =
    JcaX509CertificateHolder(certificate).subject
        .getRDNs(ASN1ObjectIdentifier("2.5.4.97"))
        .firstOrNull()?.first?.value?.toString()

/** A registration certificate counts only for the party that its access certificate names (ETSI TS 119 475 §5.1.1). */
private fun strangerIn(access: X509Certificate, certificate: JsonObject): String? {
    val (named, registered) = organizationOf(access) to (certificate["sub"] as? JsonPrimitive)?.content
    return if (named != null && named == registered) null else "The access certificate names $named, the registration $registered."
}

private fun listAt(json: JsonObject?, member: String): JsonArray = json?.get(member)?.jsonArray ?: JsonArray(emptyList())

private fun metaOf(entry: JsonElement): JsonObject? = entry.jsonObject["meta"]?.jsonObject

private fun typesIn(meta: JsonObject?): Set<JsonElement> =
    (listAt(meta, "vct_values") + listOfNotNull(meta?.get("doctype_value"))).toSet()

/** Applies the registration certificate of a verifier to its query. */
fun verifierPolicy(world: World) = VerifierPolicy(
    trust = X509CertificateTrust { chain -> leadsTo(chain, world.registrarAuthority) },
    apply = { access, certificate, query ->
        when (val violation = strangerIn(access, certificate) ?: beyond(certificate, query)) {
            null -> VerifierPolicy.Authorization.Granted()
            else -> VerifierPolicy.Authorization.NotGranted(VerifierPolicy.PolicyViolation(violation))
        }
    },
)

private fun beyond(certificate: JsonObject, query: DCQL): String? {
    val registered = listAt(certificate, "credentials")
    val uncovered = query.credentials.value.find { asked ->
        val paths = asked.claims.orEmpty().map { Json.encodeToJsonElement(eu.europa.ec.eudi.openid4vp.dcql.ClaimPath.serializer(), it.path) }
        registered.none { entry ->
            val covered = listAt(entry.jsonObject, "claim").map { it.jsonObject["path"] }
            typesIn(metaOf(entry)).containsAll(typesIn(asked.meta)) && covered.containsAll(paths)
        }
    }
    return uncovered?.let { "The registration certificate does not cover the credential query ${it.id}." }
}

/** Checks the registration certificate of an issuer, and compares it with the offered configurations. */
fun issuerPolicy(world: World) = IssuerPolicy { access, certificate, configurations ->
    val jwt = SignedJWT.parse(certificate)
    val chain = jwt.header.x509CertChain.orEmpty().mapNotNull { X509CertUtils.parse(it.decode()) }
    val violation = when {
        !leadsTo(chain, world.registrarAuthority) -> "The registrar is not trusted."
        !jwt.verify(ECDSAVerifier(ECKey.parse(chain.first()))) -> "The signature of the registration certificate is invalid."
        else -> {
            val claims = Json.parseToJsonElement(jwt.payload.toString()).jsonObject
            strangerIn(access, claims) ?: notRegistered(claims, configurations)
        }
    }
    if (violation == null) IssuerPolicy.Authorization.Granted()
    else IssuerPolicy.Authorization.NotGranted(IssuerPolicy.PolicyViolation(violation))
}

private fun notRegistered(claims: JsonObject, configurations: List<CredentialConfiguration>): String? {
    val registered = listAt(claims, "provides_attestations").flatMap { typesIn(metaOf(it)) }
    val offered = configurations.mapNotNull {
        when (it) {
            is SdJwtVcCredential -> it.type
            is MsoMdocCredential -> it.docType
            else -> null
        }
    }
    return offered.find { JsonPrimitive(it) !in registered }?.let { "The issuer is not registered for $it." }
}
