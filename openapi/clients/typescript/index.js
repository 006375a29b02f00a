/** An error answer of the service. Programs look at code. */
export class ApiError extends Error {
    status;
    name = 'ApiError';
    code;
    details;
    requestId;
    retryAfter;
    constructor(status, headers, body) {
        const said = envelope(body);
        super(`${status} ${said.error ?? 'no explanation'}${said.details ? `: ${said.details}` : ''}`);
        this.status = status;
        this.code = said.code ?? 'unknown';
        this.details = said.details;
        this.requestId = headers.get('X-Request-Id');
        this.retryAfter = whole(headers, 'Retry-After');
    }
}
/** What is left of the key's hour belongs to others (leave), for longer than maxWait. */
export class BudgetSpentError extends Error {
    name = 'BudgetSpentError';
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
    constructor(settings) {
        if (!/^https?:\/\/[^/]/.test(settings.url)) {
            throw new TypeError(`url must be an address such as https://intelligence.example.com, not ${settings.url}`);
        }
        if (!/^[!-~]+$/.test(settings.key))
            throw new TypeError('key is empty, or no key');
        this.#base = settings.url.replace(/\/+$/, '') + '/api/client/v1';
        this.#settings = { leave: 0, maxWait: 3600, tries: 8, timeout: 120, fetch: globalThis.fetch, ...settings };
    }
    interviews(filters = {}) {
        return this.#walk('/interviews', filters);
    }
    campaigns(filters = {}) {
        return this.#walk('/campaigns', filters);
    }
    synthesis(filters = {}) {
        return this.#walk('/synthesis', filters);
    }
    /** The frozen bodies of the portal. */
    portal(filters = {}) {
        return this.#walk('/synthesis', { ...filters, surface: 'portal' });
    }
    interview(id) {
        return this.#get('/interviews/' + encodeURIComponent(id), {});
    }
    analytics(filters = {}) {
        return this.#get('/analytics/interviews', filters);
    }
    search(q, filters = {}) {
        return this.#get('/intelligence/search', { q, ...filters });
    }
    #walk(path, { starting_after, ...filters }) {
        return new Walk(starting_after, (cursor) => this.#get(path, { limit: 200, ...filters, starting_after: cursor }));
    }
    async #get(path, parameters) {
        const given = Object.entries(parameters).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
        const url = this.#base + path + (given.length > 0 ? '?' + new URLSearchParams(given) : '');
        const { maxWait, tries, leave } = this.#settings;
        const pause = (this.#opens - performance.now()) / 1000;
        if (pause > maxWait)
            throw new BudgetSpentError(`${Math.ceil(pause)} seconds to wait until requests are left`);
        if (pause > 0)
            await this.#wait(pause, 'few requests are left in this hour');
        for (let waited = 0, failures = 0;;) {
            let failed, asked;
            try {
                const answer = await this.#send(url), body = await answer.text();
                const left = whole(answer.headers, 'X-RateLimit-Remaining'), reset = whole(answer.headers, 'X-RateLimit-Reset');
                const now = Date.parse(answer.headers.get('Date') ?? '') / 1000;
                // Remaining still counts the request that it came with.
                if (answer.status !== 429 && left !== undefined && left - 1 <= leave && reset !== undefined && now > 0) {
                    this.#opens = performance.now() + Math.max(1, reset - now) * 1000;
                }
                if (answer.status === 200)
                    return JSON.parse(body);
                failed = new ApiError(answer.status, answer.headers, body);
                if (![429, 502, 503, 504].includes(answer.status))
                    throw failed;
                asked = whole(answer.headers, 'Retry-After');
                if (answer.status !== 429)
                    failures++; // waiting out a quota is sure to help
            }
            catch (broken) {
                if (broken instanceof ApiError)
                    throw broken;
                failed = broken;
                failures++;
            }
            const seconds = asked ?? Math.min(5 * 2 ** failures / 2, 300) * (0.75 + Math.random() / 4);
            if (failures >= tries || waited + seconds > maxWait)
                throw failed;
            waited += seconds;
            await this.#wait(seconds, String(failed));
        }
    }
    #send(url) {
        const { fetch, key, timeout } = this.#settings; // workers refuse a fetch that is called as a method
        return fetch(url, {
            headers: { Authorization: 'Bearer ' + key, Accept: 'application/json' },
            redirect: 'manual', // a redirect would take the key to another address
            signal: AbortSignal.timeout(timeout * 1000),
        });
    }
    async #wait(seconds, reason) {
        this.#settings.onWait?.(seconds, reason);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
}
function envelope(body) {
    try {
        const said = JSON.parse(body);
        return typeof said === 'object' && said !== null ? said : {};
    }
    catch {
        return {}; // not from the API: a proxy, perhaps
    }
}
function whole(headers, name) {
    const text = headers.get(name) ?? '';
    return /^\d+$/.test(text) ? Number(text) : undefined;
}
