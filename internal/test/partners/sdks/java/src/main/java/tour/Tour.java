package tour;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import made.ApiClient;
import made.ApiException;
import made.api.InterviewsApi;
import made.api.SynthesisApi;
import made.model.Interview;
import made.model.InterviewListResponse;
import made.model.PublishedSynthesisBody;

/** Sends the generated Java client on its tour. */
public final class Tour {
  private static ApiClient using(String base, String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv(base));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  private static ApiException refused(String base, String key, Integer limit) throws Exception {
    try {
      new InterviewsApi(using(base, key)).listInterviews(limit, null, null, null, null, null);
    } catch (ApiException refusal) {
      return refusal;
    }
    throw new IllegalStateException("not refused");
  }

  private static String told(ApiException refusal) throws Exception {
    Object code = new ObjectMapper().readValue(refusal.getResponseBody(), Map.class).get("code");
    return refusal.getCode() + " " + code;
  }

  public static void main(String[] args) throws Exception {
    ApiClient full = using("BASE", System.getenv("KEY"));
    Map<String, Object> seen = new LinkedHashMap<>();

    List<String> interviews = new ArrayList<>();
    InterviewsApi api = new InterviewsApi(full);
    for (String after = null; ; ) {
      InterviewListResponse page = api.listInterviews(2, after, null, null, null, null);
      for (Interview one : page.getData()) {
        interviews.add(one.getId().toString());
      }
      if (!page.getMeta().getHasMore()) {
        break;
      }
      after = page.getMeta().getNextCursor();
    }
    seen.put("interviews", interviews);

    // The generator knows no "not" and tries the open shape first, so a row comes as a body that
    // holds all of it.
    PublishedSynthesisBody row =
        new SynthesisApi(full)
            .listSynthesis(null, null, null, null, null, null, null, null, null, null, null, null)
            .getData()
            .get(0)
            .getPublishedSynthesisBody();
    seen.put("row", row.getAdditionalProperty("contract_version"));

    PublishedSynthesisBody body =
        new SynthesisApi(full)
            .listSynthesis(null, null, null, null, null, null, "portal", null, null, null, null, null)
            .getData()
            .get(0)
            .getPublishedSynthesisBody();
    seen.put("portal", body.getAdditionalProperty("schema"));
    seen.put("integrity", body.getMeasurementIntegrity().getStatus().getValue());

    seen.put("unauthorized", told(refused("BASE", "cik_wrong", null)));
    seen.put("forbidden", told(refused("BASE", System.getenv("NARROW"), null)));
    seen.put("invalid", told(refused("BASE", System.getenv("KEY"), 0)));
    ApiException limited = refused("LIMITED", System.getenv("SPENT"), null);
    seen.put("limited", told(limited));
    seen.put("mayRetry", limited.getResponseHeaders().firstValueAsLong("Retry-After").orElse(0) > 0);
    System.out.println(new ObjectMapper().writeValueAsString(seen));
  }
}
