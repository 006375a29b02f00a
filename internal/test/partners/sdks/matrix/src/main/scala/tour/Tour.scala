package tour

import org.json4s.jackson.Serialization
import org.openapitools.client.api._
import org.openapitools.client.core.JsonSupport._
import org.openapitools.client.model._
import sttp.client3._

object Tour extends App {
  type Made[T] = Request[Either[ResponseException[String, Exception], T], Any]
  private val http = HttpClientSyncBackend()
  private val base = sys.env("BASE")

  def send[T](request: Made[T]): T = request.send(http).body.fold(refused => throw refused, identity)

  def say(name: String, answer: Any): Unit = println(name + "\t" + Serialization.write(answer.asInstanceOf[AnyRef]))

  def walk[T <: AnyRef](name: String)(page: Option[String] => Made[T])(meta: T => Meta): Unit = {
    var cursor: Option[String] = None
    do {
      val answer = send(page(cursor))
      say(name, answer)
      cursor = meta(answer).next_cursor
    } while (cursor.isDefined)
  }

  def refused[T](request: Made[T]): Unit = request.send(http).body match {
    case Left(HttpError(body, status)) => say("error " + status, Serialization.read[ErrorResponse](body).code)
    case other => throw new IllegalStateException("not refused: " + other)
  }

  for (mode <- List("canonical", "legacy")) {
    val key = sys.env(mode.toUpperCase)
    walk(mode + " interviews")(after => InterviewsApi(base).listInterviews(key)(limit = Some(2), startingAfter = after))(_.meta)
    val id = send(InterviewsApi(base).listInterviews(key)(limit = Some(1))).data.head.id
    say(mode + " interview", send(InterviewsApi(base).getInterview(key)(id)))
    walk(mode + " campaigns")(after => CampaignsApi(base).listCampaigns(key)(limit = Some(2), startingAfter = after))(_.meta)
    walk(mode + " synthesis")(after => SynthesisApi(base).listSynthesis(key)(limit = Some(2), startingAfter = after))(_.meta)
    walk(mode + " portal")(after =>
      SynthesisApi(base).listSynthesis(key)(limit = Some(2), startingAfter = after, surface = Some("portal")))(_.meta)
    say(mode + " analytics", send(AnalyticsApi(base).getInterviewAnalytics(key)(dateFrom = Some("2026-03-01"), dateTo = Some("2026-03-31"))))
    say(mode + " search", send(SearchApi(base).searchIntelligence(key)("late")))
  }
  private val canonical = sys.env("CANONICAL")
  refused(InterviewsApi(base).listInterviews(canonical)(dateFrom = Some("yesterday")))
  refused(InterviewsApi(base).listInterviews("cik_wrong")())
  refused(InterviewsApi(base).listInterviews(sys.env("NARROW"))())
  refused(InterviewsApi(base).getInterview(canonical)("00000000-0000-4000-8000-000000000000"))
  refused(InterviewsApi(sys.env("LIMITED")).listInterviews(sys.env("SPENT"))())
  refused(InterviewsApi(sys.env("STUB")).listInterviews("cik_any")())
  refused(CampaignsApi(sys.env("STUB")).listCampaigns("cik_any")())
  sys.exit(0)
}
