import createClient from 'openapi-fetch';
import type {paths} from './made/openapi-typescript.ts';
import {tour} from './tour.mts';

const answer = ({data, error, response}: {data?: unknown; error?: unknown; response: Response}) => ({status: response.status, body: data ?? error});

await tour((base, key) => {
  const client = createClient<paths>({baseUrl: base, headers: {Authorization: `Bearer ${key}`}});
  return {
    interviews: async (query) => answer(await client.GET('/api/client/v1/interviews', {params: {query}})),
    interview: async (id) => answer(await client.GET('/api/client/v1/interviews/{id}', {params: {path: {id}}})),
    campaigns: async (query) => answer(await client.GET('/api/client/v1/campaigns', {params: {query}})),
    synthesis: async (query) => answer(await client.GET('/api/client/v1/synthesis', {params: {query}})),
    analytics: async (query) => answer(await client.GET('/api/client/v1/analytics/interviews', {params: {query}})),
    search: async (query) => answer(await client.GET('/api/client/v1/intelligence/search', {params: {query}})),
  };
});
