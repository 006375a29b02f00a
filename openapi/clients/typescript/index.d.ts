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
export declare class ClientIntelError extends Error {
    constructor(message: string, options?: ErrorOptions);
}
/** The service could not be reached, however often it was tried; cause says why. */
export declare class OutOfReachError extends ClientIntelError {
}
/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export declare class BudgetSpentError extends ClientIntelError {
}
/** An error answer of the service. Programs look at code. */
export declare class ApiError extends ClientIntelError {
    readonly status: number;
    readonly code: string;
    readonly details: string | undefined;
    readonly requestId: string | null;
    readonly retryAfter: number | undefined;
    constructor(status: number, headers: Headers, said: Envelope);
}
/** 400: a parameter is not accepted; details say which. */
export declare class InvalidRequestError extends ApiError {
}
/** 400: the cursor is not of this list. Start the walk again without it. */
export declare class InvalidCursorError extends InvalidRequestError {
}
/** 401: the key is not accepted. Do not try again. */
export declare class UnauthenticatedError extends ApiError {
}
/** 403: the key lacks a scope; the message names it. */
export declare class MissingScopeError extends ApiError {
}
/** 404: there is no such interview that the key may see. */
export declare class NotFoundError extends ApiError {
}
/** 429: the key's hour is used up for longer than maxWait. */
export declare class RateLimitedError extends ApiError {
}
/** 500: the service is at fault. Report it with requestId. */
export declare class ServiceError extends ApiError {
}
/** 503: no answer, or none that can be proven. Do not make up figures. */
export declare class UnavailableError extends ServiceError {
}
interface Envelope {
    error?: string;
    code?: string;
    details?: string;
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
    constructor(settings?: Settings);
    /** All visible interviews that match, newest first. */
    interviews(filters?: InterviewFilters, options?: Options): Walk<Interview>;
    /** All campaigns that match, newest first. */
    campaigns(filters?: CampaignFilters, options?: Options): Walk<Campaign>;
    /** All published synthesis documents that match, latest refreshed first. */
    synthesis(filters?: SynthesisFilters, options?: Options): Walk<SynthesisDocumentRow>;
    /** The frozen bodies of the portal. */
    portal(filters?: PortalFilters, options?: Options): Walk<PublishedSynthesisBody>;
    /** One interview, with every field that the key's scopes allow. */
    interview(id: string, options?: Options): Promise<InterviewDetailResponse>;
    /** The series of the portal's charts; without dates, of the last 30 days. */
    analytics(filters?: AnalyticsFilters, options?: Options): Promise<InterviewAnalyticsResponse>;
    /** The newest interviews whose extracted texts contain q. */
    search(q: string, filters?: SearchFilters, options?: Options): Promise<IntelligenceSearchResponse>;
}
export {};
