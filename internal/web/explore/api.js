// Requests to the API with the key: what they cost, and what a refusal says.
import {send} from './assets/base.js';

/** A refusal, in words for a reader. */
export class Refusal extends Error {
  constructor({status, headers, body}) {
    const scope = /Missing required scope: (\S+)/.exec(body?.error)?.[1];
    super({
      401: `${body?.error}. Paste another key.`,
      403: scope ? `This key lacks the scope ${scope}. A key that has it shows more here.` : 'The server refused the request.',
      404: 'There is no such interview, or this key does not show it.',
    }[status] || {
      measurement_unavailable: 'The service cannot prove its counts for this brand at the moment, so it gives no numbers rather than wrong ones (503 measurement_unavailable). The key is fine.',
      service_unavailable: 'The service does not reach its database, or the database is too slow (503 service_unavailable). The key is fine.',
    }[body?.code] || body?.details || body?.error || `The server answered ${status} without an explanation.`);
    Object.assign(this, {status, scope, id: headers.get('X-Request-Id'), again: status >= 500});
  }
}

export class Api {
  /** quota is called with what the key has left; waiting with the instant it waits for, then null. */
  constructor(base, key, {quota, waiting}) {
    Object.assign(this, {base, key, quota, waiting, spent: 0});
  }

  /** Returns {data, meta, read}; read is when the server answered. Waits while the key's quota is used up. */
  async get(path, parameters = {}, signal, exact = false) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
    for (;;) {
      let answer;
      try {
        answer = await send(`${this.base}/${path}${query.size ? '?' + query : ''}`, this.key, {signal, exact});
      } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw Object.assign(new Error('The server does not answer. Check the connection.'), {again: true});
      }
      const {status, headers, body} = answer;
      const [limit, left, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get('X-RateLimit-' + name));
      if (left !== null) this.quota({limit: Number(limit), left: Number(left), reset: new Date(reset * 1000)});
      if (status === 429) {
        await this.pause(Number(headers.get('Retry-After')) || 1, signal);
        continue;
      }
      this.spent++;
      if (status !== 200 || body === null) throw new Refusal(answer);
      return {...body, read: new Date(headers.get('Date') || Date.now()).toISOString()};
    }
  }

  async pause(seconds, signal) {
    this.waiting(new Date(Date.now() + seconds * 1000));
    try {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, seconds * 1000);
        signal?.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
      });
    } finally {
      this.waiting(null);
    }
  }
}
