import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.X509CertUtils
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import java.io.File
import java.security.KeyStore
import java.security.cert.CertPathValidator
import java.security.cert.CertificateFactory
import java.security.cert.PKIXParameters
import java.security.cert.TrustAnchor
import java.security.cert.X509Certificate
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManagerFactory

/** What the run's service and its small world of trust are. scripts/eu-wallet/run.ts writes the file. */
@Serializable
data class World(
    val service: String,
    /** The credential type that is issued, and its type identifier as SD-JWT VC. */
    val type: String,
    val vct: String,
    val subject: JsonObject,
    /** Where the lists of the run are published. */
    val lists: String,
    /** The status list of the registration certificates. */
    val registrationStatus: String,
    /** The status list of the attestations of the wallet provider. */
    val walletStatus: String,
    /** Authorities as PEM. */
    val tlsAuthority: String,
    val issuerAuthority: String,
    val accessAuthority: String,
    val registrarAuthority: String,
    val walletAuthority: String,
    /** Certificates of the issuer and of the operator of the lists. */
    val issuer: String,
    val listOperator: String,
    /** The key of the wallet provider with its certificate (`x5c`). */
    val walletProvider: JsonObject,
) {
    val pidList: String get() = "$lists/pid.jwt"

    val walletProviderKey: ECKey get() = ECKey.parse(walletProvider.toString())

    companion object {
        fun read(file: String): World = Json.decodeFromString(serializer(), File(file).readText())
    }
}

fun certificateOf(pem: String): X509Certificate =
    requireNotNull(X509CertUtils.parse(pem)) { "The file of the run has a certificate that cannot be read." }

/** Whether a chain leads to an authority (RFC 5280 §6). No revocation lists are read. */
fun leadsTo(chain: List<X509Certificate>, authority: String): Boolean =
    try {
        val parameters = PKIXParameters(setOf(TrustAnchor(certificateOf(authority), null)))
        parameters.isRevocationEnabled = false
        val path = CertificateFactory.getInstance("X.509").generateCertPath(chain)
        CertPathValidator.getInstance("PKIX").validate(path, parameters)
        true
    } catch (_: java.security.GeneralSecurityException) {
        false
    }

/** TLS that trusts the authority of the run only. */
fun tlsOf(world: World): SSLContext {
    val store = KeyStore.getInstance(KeyStore.getDefaultType()).apply {
        load(null)
        setCertificateEntry("run", certificateOf(world.tlsAuthority))
    }
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm()).apply { init(store) }
    return SSLContext.getInstance("TLS").apply { init(null, trust.trustManagers, null) }
}
