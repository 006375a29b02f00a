/** Everything that this package throws by itself, but for wrong settings. */
export class ClientIntelError extends Error {
    constructor(message, options) {
        super(message, options);
        this.name = new.target.name;
    }
}
/** The service could not be reached, however often it was tried; cause says why. */
export class OutOfReachError extends ClientIntelError {
}
/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export class BudgetSpentError extends ClientIntelError {
}
/** An error answer of the service. Programs look at code. */
export class ApiError extends ClientIntelError {
    status;
    code;
    details;
    requestId;
    retryAfter;
    constructor(status, headers, said) {
        const requestId = headers.get('X-Request-Id');
        super(`${status} ${said.error ?? 'is no answer of the API: is the address (CLIENTINTEL_URL) right?'}` +
            (said.details ? `: ${said.details}` : '') + (requestId ? ` (request ${requestId})` : ''));
        this.status = status;
        this.code = said.code ?? 'unknown';
        this.details = said.details;
        this.requestId = requestId;
        this.retryAfter = whole(headers, 'Retry-After');
    }
}
/** 400: a parameter is not accepted; details say which. */
export class InvalidRequestError extends ApiError {
}
/** 400: the cursor is not of this list. Start the walk again without it. */
export class InvalidCursorError extends InvalidRequestError {
}
/** 401: the key is not accepted. Do not try again. */
export class UnauthenticatedError extends ApiError {
}
/** 403: the key lacks a scope; the message names it. */
export class MissingScopeError extends ApiError {
}
/** 404: there is no such interview that the key may see. */
export class NotFoundError extends ApiError {
}
/** 429: the key's hour is used up for longer than maxWait. */
export class RateLimitedError extends ApiError {
}
/** 500: the service is at fault. Report it with requestId. */
export class ServiceError extends ApiError {
}
/** 503: no answer, or none that can be proven. Do not make up figures. */
export class UnavailableError extends ServiceError {
}
const byStatus = {
    400: InvalidRequestError, 401: UnauthenticatedError, 403: MissingScopeError, 404: NotFoundError, 429: RateLimitedError,
    503: UnavailableError,
};
function errorOf(status, headers, body) {
    let said = {}; // not from the API: a proxy, perhaps
    try {
        const read = JSON.parse(body);
        if (typeof read === 'object' && read !== null)
            said = read;
    }
    catch { /* no JSON */ }
    const kind = said.code === 'invalid_cursor' ? InvalidCursorError : byStatus[status] ?? (status >= 500 ? ServiceError : ApiError);
    return new kind(status, headers, said);
}
/** A whole list: `for await` over it for rows, over pages() for pages. */
export class Walk {
    /**
     * Given to the list again as starting_after, goes on with the page that the latest row was on: rows of that page come
     * again, and none is missed. Undefined is the beginning.
     */
    cursor;
    #page;
    constructor(cursor, page) {
        this.cursor = cursor;
        this.#page = page;
    }
    /** The pages. A page's meta.next_cursor, kept, goes on behind that page. */
    async *pages() {
        for (;;) {
            const page = await this.#page(this.cursor);
            yield page;
            if (!page.meta.has_more)
                return;
            this.cursor = page.meta.next_cursor ?? undefined;
        }
    }
    async *[Symbol.asyncIterator]() {
        for await (const page of this.pages())
            yield* page.data;
    }
    async toArray() {
        const rows = [];
        for await (const row of this)
            rows.push(row);
        return rows;
    }
}
/** Reads what one key may see. No key belongs into a browser. */
export class Client {
    #settings;
    #base;
    #opens = 0; // when the next request may be sent, in milliseconds of performance.now()
    constructor(settings = {}) {
        const url = (settings.url || environment('CLIENTINTEL_URL')).trim(), key = (settings.key || environment('CLIENTINTEL_KEY')).trim();
        if (!url)
            throw new TypeError('no address: set CLIENTINTEL_URL, or pass url, such as https://intelligence.example.com');
        const parts = URL.canParse(url) ? new URL(url) : undefined;
        if (!parts || !/^https?:$/.test(parts.protocol) || parts.username || parts.search || parts.hash) {
            throw new TypeError(`url (CLIENTINTEL_URL) must be an address such as https://intelligence.example.com, not ${url}`);
        }
        if (!key)
            throw new TypeError('no key: set CLIENTINTEL_KEY, or pass key');
        if (!/^[!-~]+$/.test(key))
            throw new TypeError('key (CLIENTINTEL_KEY) is no API key: it has spaces or other characters that no key has');
        this.#base = parts.origin + parts.pathname.replace(/\/+$/, '').replace(/\/api\/client\/v1$/, '') + '/api/client/v1';
        this.#settings = {
            leave: 0, maxWait: 30, tries: 2, timeout: 120, fetch: globalThis.fetch,
            onWait: (seconds, reason) => console.warn(`clientintel: waiting ${Math.ceil(seconds)} s: ${reason}`),
            ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)), url, key,
        };
    }
    /** All visible interviews that match, newest first. */
    interviews(filters = {}, options = {}) {
        return this.#walk('/interviews', filters, options);
    }
    /** All campaigns that match, newest first. */
    campaigns(filters = {}, options = {}) {
        return this.#walk('/campaigns', filters, options);
    }
    /** All published synthesis documents that match, latest refreshed first. */
    synthesis(filters = {}, options = {}) {
        return this.#walk('/synthesis', filters, options);
    }
    /** The frozen bodies of the portal. */
    portal(filters = {}, options = {}) {
        return this.#walk('/synthesis', { ...filters, surface: 'portal' }, options);
    }
    /** One interview, with every field that the key's scopes allow. */
    interview(id, options = {}) {
        return this.#get('/interviews/' + encodeURIComponent(id), {}, options);
    }
    /** The series of the portal's charts; without dates, of the last 30 days. */
    analytics(filters = {}, options = {}) {
        return this.#get('/analytics/interviews', filters, options);
    }
    /** The newest interviews whose extracted texts contain q. */
    search(q, filters = {}, options = {}) {
        return this.#get('/intelligence/search', { q, ...filters }, options);
    }
    #walk(path, { starting_after, ...filters }, options) {
        return new Walk(starting_after, (cursor) => this.#get(path, { limit: 200, ...filters, starting_after: cursor }, options));
    }
    async #get(path, parameters, { signal }) {
        const given = Object.entries(parameters).filter(([, value]) => value != null).map(([name, value]) => [name, String(value)]);
        const url = this.#base + path + (given.length > 0 ? '?' + new URLSearchParams(given) : '');
        const { maxWait, tries, leave } = this.#settings;
        let pause = Math.max(0, (this.#opens - performance.now()) / 1000);
        if (pause > maxWait) {
            if (leave > 0)
                throw new BudgetSpentError(`${Math.ceil(pause)} seconds to wait until requests are left, and maxWait is ${maxWait}`);
            pause = 0; // the service decides
        }
        if (pause > 0)
            await this.#wait(pause, 'few requests are left in this hour', signal);
        for (let waited = pause, tried = 1;; tried++) {
            let failed, asked;
            try {
                const answer = await this.#send(url, signal), body = await answer.text();
                this.#budget(answer);
                const answered = answer.status === 200 ? parsed(body) : undefined;
                if (answered !== undefined)
                    return answered;
                failed = errorOf(answer.status, answer.headers, body);
                if (![429, 502, 503, 504].includes(answer.status))
                    throw failed;
                asked = whole(answer.headers, 'Retry-After');
            }
            catch (broken) {
                signal?.throwIfAborted();
                if (broken instanceof ClientIntelError)
                    throw broken;
                failed = new OutOfReachError(`${new URL(url).host} is out of reach: ${reasonOf(broken)}`, { cause: broken });
            }
            const seconds = asked ?? Math.min(5 * 2 ** tried / 2, 300) * (0.75 + Math.random() / 4);
            if (tried >= tries || waited + seconds > maxWait)
                throw failed;
            waited += seconds;
            await this.#wait(seconds, failed.message, signal);
        }
    }
    #budget(answer) {
        const left = whole(answer.headers, 'X-RateLimit-Remaining'), reset = whole(answer.headers, 'X-RateLimit-Reset');
        const now = Date.parse(answer.headers.get('Date') ?? '') / 1000;
        // Remaining still counts the request that it came with.
        if (answer.status !== 429 && left !== undefined && left - 1 <= this.#settings.leave && reset !== undefined && now > 0) {
            this.#opens = performance.now() + Math.max(1, reset - now) * 1000;
        }
    }
    #send(url, signal) {
        const { fetch, key, timeout } = this.#settings; // workers refuse a fetch that is called as a method
        const ends = AbortSignal.timeout(timeout * 1000);
        return fetch(url, {
            headers: { Authorization: 'Bearer ' + key, Accept: 'application/json' },
            redirect: 'manual', // a redirect would take the key to another address
            signal: signal ? AbortSignal.any([signal, ends]) : ends,
        });
    }
    async #wait(seconds, reason, signal) {
        signal?.throwIfAborted();
        this.#settings.onWait(seconds, reason);
        await new Promise((resolve, reject) => {
            const timer = setTimeout(done, seconds * 1000);
            const stop = () => {
                clearTimeout(timer);
                reject(signal?.reason);
            };
            function done() {
                signal?.removeEventListener('abort', stop);
                resolve();
            }
            signal?.addEventListener('abort', stop, { once: true });
        });
    }
}
function environment(name) {
    return globalThis.process?.env?.[name] ?? '';
}
function parsed(body) {
    try {
        return JSON.parse(body);
    }
    catch {
        return undefined;
    }
}
/** fetch itself says "fetch failed"; why is in its cause. */
function reasonOf(broken) {
    const cause = broken instanceof Error && broken.cause instanceof Error ? broken.cause : broken;
    return cause instanceof Error ? cause.message || cause.code || cause.name : String(cause);
}
function whole(headers, name) {
    const text = headers.get(name) ?? '';
    return /^\d+$/.test(text) ? Number(text) : undefined;
}
