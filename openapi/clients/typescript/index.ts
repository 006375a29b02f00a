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
  /** The service, such as https://intelligence.example.com, with or without /api/client/v1. By default CLIENTINTEL_URL. */
  url?: string;
  /** The API key. By default CLIENTINTEL_KEY. */
  key?: string;
  /** Requests of each hour to leave to others who use this key. */
  leave?: number;
  /** Seconds that one request may wait in all, for the quota and every Retry-After; what would take longer fails. 30. */
  maxWait?: number;
  /** How often to send one request that is refused for the quota, or while the service is out of reach. 2. */
  tries?: number;
  /** Seconds that one answer may take. 120. */
  timeout?: number;
  /** Called with the seconds and the reason before each wait. By default it is logged as a warning. */
  onWait?: (seconds: number, reason: string) => void;
  fetch?: typeof fetch;
}

/** What one call may be given beside its parameters. */
export interface Options {
  /** Ends the call, its waits too, with the signal's reason. */
  signal?: AbortSignal;
}

/** Everything that this package throws by itself, but for wrong settings. */
export class ClientIntelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The service could not be reached, however often it was tried; cause says why. */
export class OutOfReachError extends ClientIntelError {}

/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export class BudgetSpentError extends ClientIntelError {}

/** An error answer of the service. Programs look at code. */
export class ApiError extends ClientIntelError {
  readonly code: string;
  readonly details: string | undefined;
  readonly requestId: string | null;
  readonly retryAfter: number | undefined;

  constructor(readonly status: number, headers: Headers, said: Envelope) {
    const requestId = headers.get('X-Request-Id');
    super(`${status} ${said.error ?? 'is no answer of the API: is the address (CLIENTINTEL_URL) right?'}` +
      (said.details ? `: ${said.details}` : '') + (requestId ? ` (request ${requestId})` : ''));
    this.code = said.code ?? 'unknown';
    this.details = said.details;
    this.requestId = requestId;
    this.retryAfter = whole(headers, 'Retry-After');
  }
}

/** 400: a parameter is not accepted; details say which. */
export class InvalidRequestError extends ApiError {}

/** 400: the cursor is not of this list. Start the walk again without it. */
export class InvalidCursorError extends InvalidRequestError {}

/** 401: the key is not accepted. Do not try again. */
export class UnauthenticatedError extends ApiError {}

/** 403: the key lacks a scope; the message names it. */
export class MissingScopeError extends ApiError {}

/** 404: there is no such interview that the key may see. */
export class NotFoundError extends ApiError {}

/** 429: the key's hour is used up for longer than maxWait. */
export class RateLimitedError extends ApiError {}

/** 500: the service is at fault. Report it with requestId. */
export class ServiceError extends ApiError {}

/** 503: no answer, or none that can be proven. Do not make up figures. */
export class UnavailableError extends ServiceError {}

const byStatus: Record<number, typeof ApiError> = {
  400: InvalidRequestError, 401: UnauthenticatedError, 403: MissingScopeError, 404: NotFoundError, 429: RateLimitedError,
  503: UnavailableError,
};

interface Envelope {
  error?: string;
  code?: string;
  details?: string;
}

function errorOf(status: number, headers: Headers, body: string): ApiError {
  let said: Envelope = {}; // not from the API: a proxy, perhaps
  try {
    const read: unknown = JSON.parse(body);
    if (typeof read === 'object' && read !== null) said = read;
  } catch { /* no JSON */ }
  const kind = said.code === 'invalid_cursor' ? InvalidCursorError : byStatus[status] ?? (status >= 500 ? ServiceError : ApiError);
  return new kind(status, headers, said);
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

type Parameters = Record<string, string | number | null | undefined>;

/** Reads what one key may see. No key belongs into a browser. */
export class Client {
  readonly #settings: Required<Settings>;
  readonly #base: string;
  #opens = 0; // when the next request may be sent, in milliseconds of performance.now()

  constructor(settings: Settings = {}) {
    const url = (settings.url || environment('CLIENTINTEL_URL')).trim(), key = (settings.key || environment('CLIENTINTEL_KEY')).trim();
    if (!url) throw new TypeError('no address: set CLIENTINTEL_URL, or pass url, such as https://intelligence.example.com');
    const parts = URL.canParse(url) ? new URL(url) : undefined;
    if (!parts || !/^https?:$/.test(parts.protocol) || parts.username || parts.search || parts.hash) {
      throw new TypeError(`url (CLIENTINTEL_URL) must be an address such as https://intelligence.example.com, not ${url}`);
    }
    if (!key) throw new TypeError('no key: set CLIENTINTEL_KEY, or pass key');
    if (!/^[!-~]+$/.test(key)) throw new TypeError('key (CLIENTINTEL_KEY) is no API key: it has spaces or other characters that no key has');
    this.#base = parts.origin + parts.pathname.replace(/\/+$/, '').replace(/\/api\/client\/v1$/, '') + '/api/client/v1';
    this.#settings = {
      leave: 0, maxWait: 30, tries: 2, timeout: 120, fetch: globalThis.fetch,
      onWait: (seconds, reason) => console.warn(`clientintel: waiting ${Math.ceil(seconds)} s: ${reason}`),
      ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)), url, key,
    };
  }

  /** All visible interviews that match, newest first. */
  interviews(filters: InterviewFilters = {}, options: Options = {}): Walk<Interview> {
    return this.#walk('/interviews', filters, options);
  }

  /** All campaigns that match, newest first. */
  campaigns(filters: CampaignFilters = {}, options: Options = {}): Walk<Campaign> {
    return this.#walk('/campaigns', filters, options);
  }

  /** All published synthesis documents that match, latest refreshed first. */
  synthesis(filters: SynthesisFilters = {}, options: Options = {}): Walk<SynthesisDocumentRow> {
    return this.#walk('/synthesis', filters, options);
  }

  /** The frozen bodies of the portal. */
  portal(filters: PortalFilters = {}, options: Options = {}): Walk<PublishedSynthesisBody> {
    return this.#walk('/synthesis', {...filters, surface: 'portal'}, options);
  }

  /** One interview, with every field that the key's scopes allow. */
  interview(id: string, options: Options = {}): Promise<InterviewDetailResponse> {
    return this.#get('/interviews/' + encodeURIComponent(id), {}, options);
  }

  /** The series of the portal's charts; without dates, of the last 30 days. */
  analytics(filters: AnalyticsFilters = {}, options: Options = {}): Promise<InterviewAnalyticsResponse> {
    return this.#get('/analytics/interviews', filters, options);
  }

  /** The newest interviews whose extracted texts contain q. */
  search(q: string, filters: SearchFilters = {}, options: Options = {}): Promise<IntelligenceSearchResponse> {
    return this.#get('/intelligence/search', {q, ...filters}, options);
  }

  #walk<Row>(path: string, {starting_after, ...filters}: Parameters, options: Options): Walk<Row> {
    return new Walk<Row>(starting_after as string | undefined, (cursor) =>
      this.#get<Page<Row>>(path, {limit: 200, ...filters, starting_after: cursor}, options));
  }

  async #get<Answer>(path: string, parameters: Parameters, {signal}: Options): Promise<Answer> {
    const given = Object.entries(parameters).filter(([, value]) => value != null).map(([name, value]) => [name, String(value)]);
    const url = this.#base + path + (given.length > 0 ? '?' + new URLSearchParams(given) : '');
    const {maxWait, tries, leave} = this.#settings;
    let pause = Math.max(0, (this.#opens - performance.now()) / 1000);
    if (pause > maxWait) {
      if (leave > 0) throw new BudgetSpentError(`${Math.ceil(pause)} seconds to wait until requests are left, and maxWait is ${maxWait}`);
      pause = 0; // the service decides
    }
    if (pause > 0) await this.#wait(pause, 'few requests are left in this hour', signal);
    for (let waited = pause, tried = 1; ; tried++) {
      let failed: ClientIntelError, asked: number | undefined;
      try {
        const answer = await this.#send(url, signal), body = await answer.text();
        this.#budget(answer);
        const answered = answer.status === 200 ? parsed(body) : undefined;
        if (answered !== undefined) return answered as Answer;
        failed = errorOf(answer.status, answer.headers, body);
        if (![429, 502, 503, 504].includes(answer.status)) throw failed;
        asked = whole(answer.headers, 'Retry-After');
      } catch (broken) {
        signal?.throwIfAborted();
        if (broken instanceof ClientIntelError) throw broken;
        failed = new OutOfReachError(`${new URL(url).host} is out of reach: ${reasonOf(broken)}`, {cause: broken});
      }
      const seconds = asked ?? Math.min(5 * 2 ** tried / 2, 300) * (0.75 + Math.random() / 4);
      if (tried >= tries || waited + seconds > maxWait) throw failed;
      waited += seconds;
      await this.#wait(seconds, failed.message, signal);
    }
  }

  #budget(answer: Response): void {
    const left = whole(answer.headers, 'X-RateLimit-Remaining'), reset = whole(answer.headers, 'X-RateLimit-Reset');
    const now = Date.parse(answer.headers.get('Date') ?? '') / 1000;
    // Remaining still counts the request that it came with.
    if (answer.status !== 429 && left !== undefined && left - 1 <= this.#settings.leave && reset !== undefined && now > 0) {
      this.#opens = performance.now() + Math.max(1, reset - now) * 1000;
    }
  }

  #send(url: string, signal: AbortSignal | undefined): Promise<Response> {
    const {fetch, key, timeout} = this.#settings; // workers refuse a fetch that is called as a method
    const ends = AbortSignal.timeout(timeout * 1000);
    return fetch(url, {
      headers: {Authorization: 'Bearer ' + key, Accept: 'application/json'},
      redirect: 'manual', // a redirect would take the key to another address
      signal: signal ? AbortSignal.any([signal, ends]) : ends,
    });
  }

  async #wait(seconds: number, reason: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#settings.onWait(seconds, reason);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(done, seconds * 1000);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      function done(): void {
        signal?.removeEventListener('abort', stop);
        resolve();
      }
      signal?.addEventListener('abort', stop, {once: true});
    });
  }
}

function environment(name: string): string {
  return (globalThis as {process?: {env?: Record<string, string | undefined>}}).process?.env?.[name] ?? '';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** fetch itself says "fetch failed"; why is in its cause. */
function reasonOf(broken: unknown): string {
  const cause = broken instanceof Error && broken.cause instanceof Error ? broken.cause : broken;
  return cause instanceof Error ? cause.message || (cause as {code?: string}).code || cause.name : String(cause);
}

function whole(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
