/** A client of the Client Intelligence API. README.md says how to use it; contract.d.ts has the types of the answers. */
import type {components, operations} from './contract.js';

type Schemas = components['schemas'];
export type Interview = Schemas['Interview'];
export type Campaign = Schemas['Campaign'];
export type SynthesisDocumentRow = Schemas['SynthesisDocumentRow'];
export type PublishedSynthesisBody = Schemas['PublishedSynthesisBody'];
export type Meta = Schemas['Meta'];
export type InterviewDetailResponse = Schemas['InterviewDetailResponse'];
export type InterviewAnalyticsResponse = Schemas['InterviewAnalyticsResponse'];
export type IntelligenceSearchResponse = Schemas['IntelligenceSearchResponse'];

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
export type InterviewFilters = Query<'listInterviews'>;
export type CampaignFilters = Query<'listCampaigns'>;
export type SynthesisFilters = Omit<Query<'listSynthesis'>, 'surface' | 'lane' | 'campaign'>;
export type PortalFilters = Omit<Query<'listSynthesis'>, 'surface' | 'lane_id' | 'campaign_id' | 'updated_since'>;
export type AnalyticsFilters = Query<'getInterviewAnalytics'>;
export type SearchFilters = Omit<Query<'searchIntelligence'>, 'q'>;

export interface Settings {
  /** The deployment, such as https://intelligence.example.com. */
  url: string;
  key: string;
  /** Requests of each hour to leave to others who use this key. */
  leave?: number;
  /** Seconds that one request may wait in all, for the quota and every Retry-After; what would take longer fails. An hour. */
  maxWait?: number;
  /** How often to try while the service is out of reach. 8. */
  tries?: number;
  /** Seconds that one answer may take. 120. */
  timeout?: number;
  /** Called with the seconds and the reason before each wait. */
  onWait?: (seconds: number, reason: string) => void;
  fetch?: typeof fetch;
}

/** An error answer of the service. Programs look at code. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
  readonly details: string | undefined;
  readonly requestId: string | null;
  readonly retryAfter: number | undefined;

  constructor(readonly status: number, headers: Headers, body: string) {
    const said = envelope(body);
    super(`${status} ${said.error ?? 'no explanation'}${said.details ? `: ${said.details}` : ''}`);
    this.code = said.code ?? 'unknown';
    this.details = said.details;
    this.requestId = headers.get('X-Request-Id');
    this.retryAfter = whole(headers, 'Retry-After');
  }
}

/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export class BudgetSpentError extends Error {
  override name = 'BudgetSpentError';
}

export interface Page<Row> {
  data: Row[];
  meta: Meta;
}

/** A whole list: `for await` over it for rows, over pages() for pages. */
export class Walk<Row> implements AsyncIterable<Row> {
  /**
   * Given to the list again as starting_after, goes on with the page that the latest row was on: rows of that page come
   * again, and none is missed. Undefined is the beginning.
   */
  cursor: string | undefined;
  readonly #page: (cursor: string | undefined) => Promise<Page<Row>>;

  constructor(cursor: string | undefined, page: (cursor: string | undefined) => Promise<Page<Row>>) {
    this.cursor = cursor;
    this.#page = page;
  }

  /** The pages. A page's meta.next_cursor, kept, goes on behind that page. */
  async *pages(): AsyncGenerator<Page<Row>> {
    for (;;) {
      const page = await this.#page(this.cursor);
      yield page;
      if (!page.meta.has_more) return;
      this.cursor = page.meta.next_cursor ?? undefined;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const page of this.pages()) yield* page.data;
  }

  async toArray(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const row of this) rows.push(row);
    return rows;
  }
}

type Parameters = Record<string, string | number | undefined>;

/** Reads what one key may see. No key belongs into a browser. */
export class Client {
  readonly #settings: Required<Omit<Settings, 'onWait' | 'url'>> & Pick<Settings, 'onWait'>;
  readonly #base: string;
  #opens = 0; // when the next request may be sent, in milliseconds of performance.now()

  constructor(settings: Settings) {
    if (!/^https?:\/\/[^/]/.test(settings.url)) {
      throw new TypeError(`url must be an address such as https://intelligence.example.com, not ${settings.url}`);
    }
    if (!/^[!-~]+$/.test(settings.key)) throw new TypeError('key is empty, or no key');
    this.#base = settings.url.replace(/\/+$/, '') + '/api/client/v1';
    this.#settings = {leave: 0, maxWait: 3600, tries: 8, timeout: 120, fetch: globalThis.fetch, ...settings};
  }

  interviews(filters: InterviewFilters = {}): Walk<Interview> {
    return this.#walk('/interviews', filters);
  }

  campaigns(filters: CampaignFilters = {}): Walk<Campaign> {
    return this.#walk('/campaigns', filters);
  }

  synthesis(filters: SynthesisFilters = {}): Walk<SynthesisDocumentRow> {
    return this.#walk('/synthesis', filters);
  }

  /** The frozen bodies of the portal. */
  portal(filters: PortalFilters = {}): Walk<PublishedSynthesisBody> {
    return this.#walk('/synthesis', {...filters, surface: 'portal'});
  }

  interview(id: string): Promise<InterviewDetailResponse> {
    return this.#get('/interviews/' + encodeURIComponent(id), {});
  }

  analytics(filters: AnalyticsFilters = {}): Promise<InterviewAnalyticsResponse> {
    return this.#get('/analytics/interviews', filters);
  }

  search(q: string, filters: SearchFilters = {}): Promise<IntelligenceSearchResponse> {
    return this.#get('/intelligence/search', {q, ...filters});
  }

  #walk<Row>(path: string, {starting_after, ...filters}: Parameters): Walk<Row> {
    return new Walk<Row>(starting_after as string | undefined, (cursor) =>
      this.#get<Page<Row>>(path, {limit: 200, ...filters, starting_after: cursor}));
  }

  async #get<Answer>(path: string, parameters: Parameters): Promise<Answer> {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
    const url = this.#base + path + (given.length > 0 ? '?' + new URLSearchParams(given) : '');
    const {maxWait, tries, leave} = this.#settings;
    const pause = (this.#opens - performance.now()) / 1000;
    if (pause > maxWait) throw new BudgetSpentError(`${Math.ceil(pause)} seconds to wait until requests are left`);
    if (pause > 0) await this.#wait(pause, 'few requests are left in this hour');
    for (let waited = 0, failures = 0; ;) {
      let failed: unknown, asked: number | undefined;
      try {
        const answer = await this.#send(url), body = await answer.text();
        const left = whole(answer.headers, 'X-RateLimit-Remaining'), reset = whole(answer.headers, 'X-RateLimit-Reset');
        const now = Date.parse(answer.headers.get('Date') ?? '') / 1000;
        // Remaining still counts the request that it came with.
        if (answer.status !== 429 && left !== undefined && left - 1 <= leave && reset !== undefined && now > 0) {
          this.#opens = performance.now() + Math.max(1, reset - now) * 1000;
        }
        if (answer.status === 200) return JSON.parse(body) as Answer;
        failed = new ApiError(answer.status, answer.headers, body);
        if (![429, 502, 503, 504].includes(answer.status)) throw failed;
        asked = whole(answer.headers, 'Retry-After');
        if (answer.status !== 429) failures++; // waiting out a quota is sure to help
      } catch (broken) {
        if (broken instanceof ApiError) throw broken;
        failed = broken;
        failures++;
      }
      const seconds = asked ?? Math.min(5 * 2 ** failures / 2, 300) * (0.75 + Math.random() / 4);
      if (failures >= tries || waited + seconds > maxWait) throw failed;
      waited += seconds;
      await this.#wait(seconds, String(failed));
    }
  }

  #send(url: string): Promise<Response> {
    const {fetch, key, timeout} = this.#settings; // workers refuse a fetch that is called as a method
    return fetch(url, {
      headers: {Authorization: 'Bearer ' + key, Accept: 'application/json'},
      redirect: 'manual', // a redirect would take the key to another address
      signal: AbortSignal.timeout(timeout * 1000),
    });
  }

  async #wait(seconds: number, reason: string): Promise<void> {
    this.#settings.onWait?.(seconds, reason);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

function envelope(body: string): {error?: string; code?: string; details?: string} {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === 'object' && said !== null ? said : {};
  } catch {
    return {}; // not from the API: a proxy, perhaps
  }
}

function whole(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
