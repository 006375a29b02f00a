import type {ZodType} from 'zod';
import {
  GetInterviewAnalyticsResponse, GetInterviewResponse, ListCampaignsResponse, ListInterviewsResponse, ListSynthesisResponse,
  SearchIntelligenceResponse,
} from './made/orval-zod.ts';
import {tour} from './tour.mts';

await tour((base, key) => {
  // orval makes no schemas of errors.
  const read = async (path: string, query: object, schema: ZodType) => {
    const response = await fetch(`${base}/api/client/v1${path}?${new URLSearchParams(Object.entries(query))}`, {headers: {Authorization: `Bearer ${key}`}});
    const body: unknown = await response.json();
    return {status: response.status, body: response.ok ? schema.parse(body) : body};
  };
  return {
    interviews: (query) => read('/interviews', query, ListInterviewsResponse),
    interview: (id) => read(`/interviews/${id}`, {}, GetInterviewResponse),
    campaigns: (query) => read('/campaigns', query, ListCampaignsResponse),
    synthesis: (query) => read('/synthesis', query, ListSynthesisResponse),
    analytics: (query) => read('/analytics/interviews', query, GetInterviewAnalyticsResponse),
    search: (query) => read('/intelligence/search', query, SearchIntelligenceResponse),
  };
});
