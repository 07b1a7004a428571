import com.nimbusds.jose.JOSEObjectType
import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.JWSHeader
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.jwk.JWK
import com.nimbusds.jose.jwk.gen.ECKeyGenerator
import com.nimbusds.jwt.JWTClaimsSet
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.openid4vci.ClientAttestationJWT
import eu.europa.ec.eudi.openid4vci.ClientAuthentication
import eu.europa.ec.eudi.openid4vci.DPoPConfig
import eu.europa.ec.eudi.openid4vci.HttpsUrl
import eu.europa.ec.eudi.openid4vci.JwsAlgorithm
import eu.europa.ec.eudi.openid4vci.KeyAttestationJWT
import eu.europa.ec.eudi.openid4vci.Nonce
import eu.europa.ec.eudi.openid4vci.PositiveDuration
import eu.europa.ec.eudi.openid4vci.ProofSpecification
import eu.europa.ec.eudi.openid4vci.ProvisionClientAttestation
import eu.europa.ec.eudi.openid4vci.ProvisionDPoPSigner
import eu.europa.ec.eudi.openid4vci.SignFunction
import eu.europa.ec.eudi.openid4vci.SignOperation
import eu.europa.ec.eudi.openid4vci.Signer
import java.security.Signature
import java.time.Instant

const val CLIENT = "https://wallet.example"
const val REDIRECT_URI = "https://wallet.example/callback"
private const val LIFETIME_SECONDS = 300L
private const val STATUS_LIFETIME_SECONDS = 86_400L
private val ES256 = JwsAlgorithm("ES256")

fun newKey(): ECKey = ECKeyGenerator(Curve.P_256).generate()

/** A signer in the form that the library of OpenID4VCI expects, with what it publishes beside the signature. */
private fun <Public> signerOf(key: ECKey, public: Public): Signer<Public> =
    object : Signer<Public> {
        override val javaAlgorithm = "SHA256withECDSA"

        override suspend fun acquire() = SignOperation(
            SignFunction { input ->
                Signature.getInstance(javaAlgorithm).run {
                    initSign(key.toECPrivateKey())
                    update(input)
                    sign()
                }
            },
            public,
        )

        override suspend fun release(signOperation: SignOperation<Public>?) = Unit
    }

/** A wallet with an instance key, a DPoP key and attested keys. */
class Wallet(private val provider: ECKey, private val statusList: String) {
    private val instance = newKey()
    private val dpop = newKey()

    /** The status of the wallet and of its keys, as the EU's specification TS3 demands it. */
    private fun statusAt(index: Int) = mapOf(
        "status" to mapOf("status_list" to mapOf("idx" to index, "uri" to statusList)),
        "exp" to Instant.now().epochSecond + STATUS_LIFETIME_SECONDS,
    )

    private fun attested(type: String, claims: Map<String, Any?>): String {
        val now = Instant.now().epochSecond
        val header = JWSHeader.Builder(JWSAlgorithm.ES256).type(JOSEObjectType(type)).x509CertChain(provider.x509CertChain)
        val all = mapOf("iat" to now, "exp" to now + LIFETIME_SECONDS) + claims
        return SignedJWT(header.build(), JWTClaimsSet.parse(all)).apply { sign(ECDSASigner(provider)) }.serialize()
    }

    /** Authenticates with a wallet attestation (Attestation-Based Client Authentication, with the claims of TS3). */
    val authentication = ClientAuthentication.AttestationBased(
        CLIENT,
        object : ProvisionClientAttestation {
            override val algorithm = ES256
            override val popAlgorithm = ES256

            override suspend fun invoke(
                authorizationServer: HttpsUrl,
                preferredClientStatusPeriod: PositiveDuration?,
            ): ProvisionClientAttestation.Provisioned {
                val claims = mapOf(
                    "iss" to "https://wallet-provider.example",
                    "sub" to CLIENT,
                    "cnf" to mapOf("jwk" to instance.toPublicJWK().toJSONObject()),
                    "wallet_name" to "Wallet of the run",
                    "wallet_version" to "1",
                    "wallet_solution_certification_information" to "https://wallet-provider.example/certification",
                    "client_status" to statusAt(1),
                )
                val attestation = attested("oauth-client-attestation+jwt", claims)
                val public: JWK = instance.toPublicJWK()
                return ProvisionClientAttestation.Provisioned(ClientAttestationJWT(attestation), signerOf(instance, public))
            }
        },
    )

    val dpopConfig = DPoPConfig(
        object : ProvisionDPoPSigner {
            override val popAlgorithm = ES256

            override suspend fun invoke(authorizationServer: HttpsUrl): Signer<JWK> = signerOf(dpop, dpop.toPublicJWK())
        },
    )

    /** A key attestation (OpenID4VCI 1.0 Appendix D.1, with the claims of TS3). */
    private fun keyAttestation(keys: List<ECKey>, nonce: Nonce?): KeyAttestationJWT {
        val claims = mapOf(
            "attested_keys" to keys.map { it.toPublicJWK().toJSONObject() },
            "key_storage" to listOf("iso_18045_high"),
            "user_authentication" to listOf("iso_18045_high"),
            "certification" to "https://wallet-provider.example/certification",
            "key_storage_status" to statusAt(2),
            "nonce" to nonce?.value,
        ).filterValues { it != null }
        return KeyAttestationJWT(attested("key-attestation+jwt", claims))
    }

    /** A `jwt` proof with a key attestation: the first key signs. */
    fun jwtProof(keys: List<ECKey>) =
        ProofSpecification.JwtProof { nonce, _ -> signerOf(keys.first(), keyAttestation(keys, nonce)) }

    /** A proof of the type `attestation`. */
    fun attestationProof(keys: List<ECKey>) =
        ProofSpecification.AttestationProof { nonce, _ -> keyAttestation(keys, nonce) }
}
