package tour

import java.util.UUID
import kotlin.system.exitProcess
import okhttp3.OkHttpClient
import org.openapitools.client.apis.AnalyticsApi
import org.openapitools.client.apis.CampaignsApi
import org.openapitools.client.apis.InterviewsApi
import org.openapitools.client.apis.SearchApi
import org.openapitools.client.apis.SynthesisApi
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.ServerError
import org.openapitools.client.infrastructure.ServerException
import org.openapitools.client.models.ErrorResponse
import org.openapitools.client.models.Meta

class Clients(base: String, key: String) {
    private val url = System.getenv(base)
    private val http = OkHttpClient.Builder()
        .addInterceptor { it.proceed(it.request().newBuilder().header("Authorization", "Bearer $key").build()) }.build()
    val interviews = InterviewsApi(url, http)
    val campaigns = CampaignsApi(url, http)
    val synthesis = SynthesisApi(url, http)
    val analytics = AnalyticsApi(url, http)
    val search = SearchApi(url, http)
}

fun say(name: String, answer: Any?) = println(name + "\t" + Serializer.jacksonObjectMapper.writeValueAsString(answer))

fun walk(name: String, page: (String?) -> Pair<Any, Meta>) {
    var cursor: String? = null
    while (true) {
        val (answer, meta) = page(cursor)
        say(name, answer)
        if (meta.hasMore != true) return
        cursor = meta.nextCursor
    }
}

fun refused(call: () -> Any) {
    val (status, body) = try {
        call()
        throw IllegalStateException("not refused")
    } catch (refusal: ClientException) {
        refusal.statusCode to (refusal.response as ClientError<*>).body
    } catch (refusal: ServerException) {
        refusal.statusCode to (refusal.response as ServerError<*>).body
    }
    say("error $status", Serializer.jacksonObjectMapper.readValue(body as String, ErrorResponse::class.java).code)
}

fun main() {
    for (mode in listOf("canonical", "legacy")) {
        val c = Clients("BASE", System.getenv(mode.uppercase()))
        walk("$mode interviews") { after -> c.interviews.listInterviews(limit = 2, startingAfter = after).let { it to it.meta } }
        say("$mode interview", c.interviews.getInterview(c.interviews.listInterviews(limit = 1).data[0].id))
        walk("$mode campaigns") { after -> c.campaigns.listCampaigns(limit = 2, startingAfter = after).let { it to it.meta } }
        walk("$mode synthesis") { after -> c.synthesis.listSynthesis(limit = 2, startingAfter = after).let { it to it.meta } }
        walk("$mode portal") { after ->
            c.synthesis.listSynthesis(limit = 2, startingAfter = after, surface = SynthesisApi.SurfaceListSynthesis.portal).let { it to it.meta }
        }
        say("$mode analytics", c.analytics.getInterviewAnalytics(dateFrom = "2026-03-01", dateTo = "2026-03-31"))
        say("$mode search", c.search.searchIntelligence("late"))
    }
    val canonical = Clients("BASE", System.getenv("CANONICAL"))
    refused { canonical.interviews.listInterviews(dateFrom = "yesterday") }
    refused { Clients("BASE", "cik_wrong").interviews.listInterviews() }
    refused { Clients("BASE", System.getenv("NARROW")).interviews.listInterviews() }
    refused { canonical.interviews.getInterview(UUID.fromString("00000000-0000-4000-8000-000000000000")) }
    refused { Clients("LIMITED", System.getenv("SPENT")).interviews.listInterviews() }
    refused { Clients("STUB", "cik_any").interviews.listInterviews() }
    refused { Clients("STUB", "cik_any").campaigns.listCampaigns() }
    exitProcess(0) // the HTTP library's threads would wait for a minute
}
