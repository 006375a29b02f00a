import {AnalyticsApi, CampaignsApi, InterviewsApi, SearchApi, SynthesisApi} from './apis/index.ts';
import * as models from './models/index.ts';
import {Configuration, ResponseError} from './runtime.ts';

const env = (name: string): string => process.env[name] ?? '';
const using = (base: string, key: string) => new Configuration({basePath: env(base), accessToken: key});
// An open object holds a declared field under both its names, so its own is printed alone.
const own = (name: string, value: unknown) => name === 'measurementIntegrity' ? undefined : value;
const say = (name: string, answer: unknown) => console.log(`${name}\t${JSON.stringify(answer, own)}`);

async function walk(name: string, toJSON: (page: any) => unknown, call: (query: any) => Promise<any>, filters: object = {}) {
  for (let startingAfter: string | undefined; ;) {
    const page = await call({limit: 2, startingAfter, ...filters});
    say(name, toJSON(page));
    if (!page.meta.hasMore) return;
    startingAfter = page.meta.nextCursor;
  }
}

for (const mode of ['canonical', 'legacy']) {
  const to = using('BASE', env(mode.toUpperCase()));
  const interviews = new InterviewsApi(to), synthesis = new SynthesisApi(to);
  await walk(`${mode} interviews`, models.InterviewListResponseToJSON, (q) => interviews.listInterviews(q));
  const id = (await interviews.listInterviews({limit: 1})).data[0]!.id;
  say(`${mode} interview`, models.InterviewDetailResponseToJSON(await interviews.getInterview({id})));
  await walk(`${mode} campaigns`, models.CampaignListResponseToJSON, (q) => new CampaignsApi(to).listCampaigns(q));
  await walk(`${mode} synthesis`, models.SynthesisListResponseToJSON, (q) => synthesis.listSynthesis(q));
  await walk(`${mode} portal`, models.SynthesisListResponseToJSON, (q) => synthesis.listSynthesis(q), {surface: 'portal'});
  say(`${mode} analytics`, models.InterviewAnalyticsResponseToJSON(
    await new AnalyticsApi(to).getInterviewAnalytics({dateFrom: '2026-03-01', dateTo: '2026-03-31'})));
  say(`${mode} search`, models.IntelligenceSearchResponseToJSON(await new SearchApi(to).searchIntelligence({q: 'late'})));
}

async function refused(call: () => Promise<unknown>) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    say(`error ${error.response.status}`, models.ErrorResponseFromJSON(await error.response.json()).code);
  }
}
const canonical = new InterviewsApi(using('BASE', env('CANONICAL')));
await refused(() => canonical.listInterviews({dateFrom: 'yesterday'}));
await refused(() => new InterviewsApi(using('BASE', 'cik_wrong')).listInterviews());
await refused(() => new InterviewsApi(using('BASE', env('NARROW'))).listInterviews());
await refused(() => canonical.getInterview({id: '00000000-0000-4000-8000-000000000000'}));
await refused(() => new InterviewsApi(using('LIMITED', env('SPENT'))).listInterviews());
await refused(() => new InterviewsApi(using('STUB', 'cik_any')).listInterviews());
await refused(() => new CampaignsApi(using('STUB', 'cik_any')).listCampaigns());
