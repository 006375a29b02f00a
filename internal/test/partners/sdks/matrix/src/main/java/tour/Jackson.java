package tour;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AnalyticsApi;
import org.openapitools.client.api.CampaignsApi;
import org.openapitools.client.api.InterviewsApi;
import org.openapitools.client.api.SearchApi;
import org.openapitools.client.api.SynthesisApi;
import org.openapitools.client.model.CampaignListResponse;
import org.openapitools.client.model.ErrorResponse;
import org.openapitools.client.model.InterviewListResponse;
import org.openapitools.client.model.Meta;
import org.openapitools.client.model.SynthesisListResponse;

public final class Jackson {
  static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  interface Page {
    Object[] after(String cursor) throws Exception; // the answer and its meta
  }

  interface Call {
    Object make() throws Exception;
  }

  static ApiClient using(String base, String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv(base));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static void say(String name, Object answer) throws Exception {
    System.out.println(name + "\t" + JSON.writeValueAsString(answer));
  }

  static void walk(String name, Page page) throws Exception {
    for (String cursor = null; ; ) {
      Object[] answer = page.after(cursor);
      say(name, answer[0]);
      Meta meta = (Meta) answer[1];
      if (!meta.getHasMore()) {
        return;
      }
      cursor = meta.getNextCursor();
    }
  }

  static void refused(Call call) throws Exception {
    try {
      call.make();
    } catch (ApiException refusal) {
      ErrorResponse body = JSON.readValue(refusal.getResponseBody(), ErrorResponse.class);
      System.out.println("error " + refusal.getCode() + "\t\"" + body.getCode() + "\"");
    }
  }

  static Object interviews(ApiClient client, String from) throws Exception {
    return new InterviewsApi(client).listInterviews(null, null, null, null, from, null);
  }

  public static void main(String[] args) throws Exception {
    for (String mode : new String[] {"canonical", "legacy"}) {
      ApiClient client = using("BASE", System.getenv(mode.toUpperCase()));
      InterviewsApi interviews = new InterviewsApi(client);
      SynthesisApi synthesis = new SynthesisApi(client);
      walk(mode + " interviews", cursor -> {
        InterviewListResponse page = interviews.listInterviews(2, cursor, null, null, null, null);
        return new Object[] {page, page.getMeta()};
      });
      UUID id = interviews.listInterviews(1, null, null, null, null, null).getData().get(0).getId();
      say(mode + " interview", interviews.getInterview(id));
      walk(mode + " campaigns", cursor -> {
        CampaignListResponse page = new CampaignsApi(client).listCampaigns(2, cursor, null, null, null, null, null);
        return new Object[] {page, page.getMeta()};
      });
      for (String surface : new String[] {null, "portal"}) {
        walk(mode + (surface == null ? " synthesis" : " portal"), cursor -> {
          SynthesisListResponse page = synthesis.listSynthesis(2, cursor, null, null, null, null, surface, null, null, null, null, null);
          return new Object[] {page, page.getMeta()};
        });
      }
      say(mode + " analytics", new AnalyticsApi(client).getInterviewAnalytics(null, "2026-03-01", "2026-03-31"));
      say(mode + " search", new SearchApi(client).searchIntelligence("late", null, null));
    }
    ApiClient canonical = using("BASE", System.getenv("CANONICAL"));
    refused(() -> interviews(canonical, "yesterday"));
    refused(() -> interviews(using("BASE", "cik_wrong"), null));
    refused(() -> interviews(using("BASE", System.getenv("NARROW")), null));
    refused(() -> new InterviewsApi(canonical).getInterview(UUID.fromString("00000000-0000-4000-8000-000000000000")));
    refused(() -> interviews(using("LIMITED", System.getenv("SPENT")), null));
    refused(() -> interviews(using("STUB", "cik_any"), null));
    refused(() -> new CampaignsApi(using("STUB", "cik_any")).listCampaigns(null, null, null, null, null, null, null));
  }
}
