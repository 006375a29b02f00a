/** A client of the Client Intelligence API. README.md says how to use it; contract.d.ts has the types of the answers. */
import type { components, operations } from './contract.js';
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
export declare class ApiError extends Error {
    readonly status: number;
    name: string;
    readonly code: string;
    readonly details: string | undefined;
    readonly requestId: string | null;
    readonly retryAfter: number | undefined;
    constructor(status: number, headers: Headers, body: string);
}
/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export declare class BudgetSpentError extends Error {
    name: string;
}
export interface Page<Row> {
    data: Row[];
    meta: Meta;
}
/** A whole list: `for await` over it for rows, over pages() for pages. */
export declare class Walk<Row> implements AsyncIterable<Row> {
    #private;
    /**
     * Given to the list again as starting_after, goes on with the page that the latest row was on: rows of that page come
     * again, and none is missed. Undefined is the beginning.
     */
    cursor: string | undefined;
    constructor(cursor: string | undefined, page: (cursor: string | undefined) => Promise<Page<Row>>);
    /** The pages. A page's meta.next_cursor, kept, goes on behind that page. */
    pages(): AsyncGenerator<Page<Row>>;
    [Symbol.asyncIterator](): AsyncGenerator<Row>;
    toArray(): Promise<Row[]>;
}
/** Reads what one key may see. No key belongs into a browser. */
export declare class Client {
    #private;
    constructor(settings: Settings);
    interviews(filters?: InterviewFilters): Walk<Interview>;
    campaigns(filters?: CampaignFilters): Walk<Campaign>;
    synthesis(filters?: SynthesisFilters): Walk<SynthesisDocumentRow>;
    /** The frozen bodies of the portal. */
    portal(filters?: PortalFilters): Walk<PublishedSynthesisBody>;
    interview(id: string): Promise<InterviewDetailResponse>;
    analytics(filters?: AnalyticsFilters): Promise<InterviewAnalyticsResponse>;
    search(q: string, filters?: SearchFilters): Promise<IntelligenceSearchResponse>;
}
export {};
