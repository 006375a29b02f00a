import {getInterview, getInterviewAnalytics, listCampaigns, listInterviews, listSynthesis, searchIntelligence} from './made/orval-fetch.ts';
import {tour} from './tour.mts';

const answer = ({status, data}: {status: number; data: unknown}) => ({status, body: data});

await tour((base, key) => {
  const to = {base, headers: {Authorization: `Bearer ${key}`}};
  return {
    interviews: async (query) => answer(await listInterviews(query, to)),
    interview: async (id) => answer(await getInterview(id, to)),
    campaigns: async (query) => answer(await listCampaigns(query, to)),
    synthesis: async (query) => answer(await listSynthesis(query, to)),
    analytics: async (query) => answer(await getInterviewAnalytics(query, to)),
    search: async (query) => answer(await searchIntelligence(query, to)),
  };
});
