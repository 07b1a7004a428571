import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import kotlin.text.Charsets.UTF_8

fun JsonObject.text(member: String): String =
    requireNotNull(get(member)?.jsonPrimitive?.contentOrNull) { "The answer of the service has no $member." }

/** The management API of the service. */
class Service(private val world: World) {
    private val client = HttpClient.newBuilder().sslContext(tlsOf(world)).build()

    private fun send(method: String, path: String, body: JsonObject?): JsonObject {
        val request = HttpRequest.newBuilder(URI(world.service + path))
            .header("content-type", "application/json")
            .method(method, if (body == null) BodyPublishers.noBody() else BodyPublishers.ofString(body.toString()))
            .build()
        val answer = client.send(request, BodyHandlers.ofString())
        demand(answer.statusCode() in 200..299) { "$method $path was answered ${answer.statusCode()}: ${answer.body()}" }
        return Json.parseToJsonElement(answer.body()).jsonObject
    }

    fun post(path: String, body: JsonObject): JsonObject = send("POST", path, body)

    fun get(path: String): JsonObject = send("GET", path, null)

    /** Posts the answer of the Digital Credentials API, as the backend of the verifier's page does. */
    fun postFromPage(address: String, body: JsonObject) {
        val request = HttpRequest.newBuilder(URI(address))
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()))
            .build()
        val answer = client.send(request, BodyHandlers.ofString())
        demand(answer.statusCode() in 200..299) { "The answer was answered ${answer.statusCode()}: ${answer.body()}" }
    }
}

/** A browser of a person who agrees to everything. */
class Browser(private val world: World) {
    /** Java's own cookies are not sent to `localhost`. The run has one host, so names are enough. */
    private val cookies = mutableMapOf<String, String>()
    private val client = HttpClient.newBuilder()
        .sslContext(tlsOf(world))
        .followRedirects(HttpClient.Redirect.NEVER)
        .build()

    /** Opens an address, presses the button that accepts, and returns the address at which the wallet waits. */
    fun accept(address: String): URI {
        val page = follow(URI(address))
        val (attributes, content) = requireNotNull(Regex("<form\\b([^>]*)>([\\s\\S]*?)</form>").find(page.body())) {
            "There is no form at ${page.uri()} (${page.statusCode()})."
        }.destructured
        val action = requireNotNull(attribute(attributes, "action")) { "The form has no address." }
        val hidden = Regex("<input\\b([^>]*)>").findAll(content)
            .map { it.groupValues[1] }
            .filter { attribute(it, "type") == "hidden" }
            .associate { attribute(it, "name").orEmpty() to attribute(it, "value").orEmpty() }
        val form = (hidden + ("decision" to "accept")).entries
            .joinToString("&") { (name, value) -> "${URLEncoder.encode(name, UTF_8)}=${URLEncoder.encode(value, UTF_8)}" }
        val press = HttpRequest.newBuilder(page.uri().resolve(action))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", world.service)
            .header("sec-fetch-site", "same-origin")
            .POST(BodyPublishers.ofString(form))
        return URI(location(send(press)))
    }

    private fun send(request: HttpRequest.Builder): HttpResponse<String> {
        if (cookies.isNotEmpty()) request.header("cookie", cookies.entries.joinToString("; ") { (name, value) -> "$name=$value" })
        val answer = client.send(request.build(), BodyHandlers.ofString())
        answer.headers().allValues("set-cookie").forEach { line ->
            val (name, value) = line.substringBefore(';').split('=', limit = 2)
            cookies[name.trim()] = value
        }
        return answer
    }

    private fun follow(address: URI): HttpResponse<String> {
        var answer = send(HttpRequest.newBuilder(address))
        repeat(MOST_REDIRECTS) {
            if (answer.statusCode() !in 300..399) return answer
            answer = send(HttpRequest.newBuilder(answer.uri().resolve(location(answer))))
        }
        error("$address led on too often.")
    }

    private fun location(answer: HttpResponse<String>): String =
        answer.headers().firstValue("location").orElseThrow {
            IllegalStateException("${answer.uri()} was answered ${answer.statusCode()} and does not lead on.")
        }

    private fun attribute(tag: String, name: String): String? =
        Regex("\\b$name=\"([^\"]*)\"").find(tag)?.groupValues?.get(1)?.replace("&amp;", "&")

    private companion object {
        const val MOST_REDIRECTS = 10
    }
}
