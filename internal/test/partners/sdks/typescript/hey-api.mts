import {createClient} from './made/hey-api/client/index.ts';
import {getInterview, getInterviewAnalytics, listCampaigns, listInterviews, listSynthesis, searchIntelligence} from './made/hey-api/sdk.gen.ts';
import {tour} from './tour.mts';

const answer = ({data, error, response}: {data?: unknown; error?: unknown; response?: Response}) => ({status: response?.status ?? 0, body: data ?? error});

await tour((base, key) => {
  const client = createClient({baseUrl: base, auth: key});
  return {
    interviews: async (query) => answer(await listInterviews({client, query})),
    interview: async (id) => answer(await getInterview({client, path: {id}})),
    campaigns: async (query) => answer(await listCampaigns({client, query})),
    synthesis: async (query) => answer(await listSynthesis({client, query})),
    analytics: async (query) => answer(await getInterviewAnalytics({client, query})),
    search: async (query) => answer(await searchIntelligence({client, query})),
  };
});
