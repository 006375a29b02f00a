// The list of interviews, quotes, search, one interview in full, and what the key shows.
import {el, format, table} from './assets/base.js';
import {moods} from './series.js';

const $ = (id) => document.getElementById(id);
const size = 25;
const day = (text) => text.slice(0, 10);
const minute = (text) => text.slice(0, 16).replace('T', ' ') + ' UTC';
const moodOf = (score) => (score === null ? 'unknown' : score >= 9 ? moods[0] : score >= 7 ? moods[1] : moods[2]);
const score = (interview) => (interview.nps_score === null ? '–' : el('span', {class: 'score ' + moodOf(interview.nps_score)}, format(interview.nps_score)));
const length = (seconds) => (seconds === null ? null : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`);

/** The scopes, what each shows here, and the flag of a response that tells of it. */
const scopes = [
  ['read:interviews_metadata', 'the charts and the interviews'],
  ['read:campaigns', 'campaigns’ names in the table; the table of one campaign'],
  ['read:custom_extraction', 'search; extracted answers', 'includes_custom_extraction'],
  ['read:transcripts', 'transcripts', 'includes_transcripts'],
  ['read:customer_identity', 'participants’ e-mail addresses', 'includes_customer_identity'],
  ['read:raw_extraction', 'everything extracted, on one interview', 'includes_raw_extraction'],
];

export class Interviews {
  constructor({api, go, view, message}) {
    Object.assign(this, {api, go, view, message, has: {}, campaigns: null, pages: [], at: 0, listed: ''});
    $('previous').onclick = () => this.turn(this.at - 1);
    $('next').onclick = () => this.turn(this.at + 1);
    $('search').onsubmit = (event) => { event.preventDefault(); this.search(); };
    $('interview').onclose = () => { if (this.view().interview) this.go({interview: ''}); };
    $('hits').replaceChildren();
    this.learn({});
  }

  /** Notes which scopes the key is known to have or to lack. */
  learn(known) {
    Object.assign(this.has, known);
    const state = (scope) => ({true: el('span', {class: 'chip good'}, 'shown'), false: el('span', {class: 'chip bad'}, 'hidden')}[this.has[scope]] ??
      (scope === 'read:raw_extraction' ? 'told by opening an interview' : 'not asked yet'));
    $('scopes').replaceChildren(table('Scopes of this key', ['Scope', 'Shows', 'This key'], scopes.map(([scope, shows]) => [el('code', {}, scope), shows, state(scope)])));
    $('quotes').hidden = $('interviews').hidden = this.has['read:interviews_metadata'] === false;
    const searches = this.has['read:custom_extraction'] !== false;
    $('search').hidden = !searches;
    if (!searches) $('hits').replaceChildren(el('p', {class: 'message warm'}, 'Hidden: this key lacks the scope ', el('code', {}, 'read:custom_extraction'), '.'));
  }

  learnFrom(meta, detail) {
    this.learn(Object.fromEntries(scopes.filter(([scope, , flag]) => flag && (detail || scope !== 'read:raw_extraction')).map(([scope, , flag]) => [scope, meta[flag]])));
  }

  /** Slugs and names of the live campaigns, as far as they are known. */
  live() {
    return (this.campaigns || []).filter((one) => one.launch_status === 'live' && one.active !== false).map((one) => [one.slug, one.display_name || one.slug]);
  }

  /** Shows the list, and the interview that the address names. */
  async show(now, signal, again) {
    this.signal = signal;
    const filters = JSON.stringify([now.from, now.to, now.campaign, now.status]);
    if (again || filters !== this.listed) {
      this.listed = '';
      this.pages = [];
      $('previous').disabled = $('next').disabled = true;
      await this.loadCampaigns(signal);
      await this.turn(0);
      this.listed = filters;
    }
    if (now.interview) await this.detail(now.interview, signal);
    else if ($('interview').open) $('interview').close();
  }

  async loadCampaigns(signal) {
    if (this.campaigns || this.has['read:campaigns'] === false) return;
    const all = [];
    try {
      for (let cursor = ''; cursor !== null;) {
        const {data, meta} = await this.api().get('campaigns', {limit: 200, starting_after: cursor}, signal);
        all.push(...data);
        cursor = meta.next_cursor;
      }
      this.campaigns = all;
      this.learn({'read:campaigns': true});
    } catch (error) {
      if (error.scope !== 'read:campaigns') throw error;
      this.learn({'read:campaigns': false});
    }
  }

  campaign(id) {
    const found = this.campaigns?.find((one) => one.id === id);
    return found ? found.display_name || found.slug : id === null ? 'Uncategorized' : id;
  }

  /** Shows the page so many pages from the first; pages seen before are not requested again. */
  async turn(to) {
    const now = this.view();
    const chosen = now.campaign && this.campaigns?.find((one) => one.slug === now.campaign);
    if (now.campaign && !chosen) {
      $('list').replaceChildren();
      $('listed').textContent = this.campaigns ? 'The list cannot be narrowed to interviews without a campaign, nor to a campaign that is not there.' :
        'Hidden: narrowing the list to a campaign needs the scope read:campaigns.';
      $('pages').hidden = true;
      this.quotes([]);
      return;
    }
    $('pages').hidden = false;
    $('previous').disabled = $('next').disabled = true;
    const {pages} = this;
    try {
      pages[to] ??= await this.api().get('interviews', {
        limit: size, starting_after: to > 0 ? pages[to - 1].meta.next_cursor : '',
        date_from: now.from, date_to: now.to, campaign_id: chosen?.id, status: now.status,
      }, this.signal);
    } catch (error) {
      if (to === 0) throw error; // show() tells of it
      if (error.name === 'AbortError') return;
      $('previous').disabled = false; // the page before is still there
      this.message(error);
      return;
    }
    if (pages !== this.pages) return; // other filters since
    this.at = to;
    const {data, meta} = pages[to];
    this.learnFrom(meta, false);
    $('previous').disabled = to === 0;
    $('next').disabled = !meta.has_more;
    $('listed').textContent = data.length === 0 ? 'No interview in this window.' :
      `${format(to * size + 1)} to ${format(to * size + data.length)}${meta.has_more ? ', and more follow' : ', the last'}. A page costs one request.`;
    $('list').replaceChildren(table('Interviews', ['Date', 'Participant', 'Campaign', 'Score', 'Sentiment', 'Churn risk', 'Length', 'Status', 'Quote'], data.map((one) => [
      day(one.created_at), this.opens(one.id, one.participant_name || 'No name'), this.campaign(one.conversation_goal_id), score(one),
      one.customer_sentiment, one.churn_risk, length(one.duration_seconds), one.status, one.best_quote && el('q', {}, one.best_quote)])));
    if (to === 0) this.quotes(data);
  }

  /** A link that opens an interview here. */
  opens(id, text) {
    const query = new URLSearchParams(location.search);
    query.set('interview', id);
    return el('a', {href: '?' + query, click: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go({interview: id});
    }}, text);
  }

  quotes(data) {
    const quoted = data.filter((one) => one.best_quote).slice(0, 6);
    $('quotes').lastElementChild.replaceChildren(...(quoted.length ? quoted.map((one) => el('figure', {},
      el('blockquote', {}, one.best_quote),
      el('figcaption', {}, score(one), ' ', this.opens(one.id, one.participant_name || 'No name'), ` · ${this.campaign(one.conversation_goal_id)} · ${day(one.created_at)}`))) :
      [el('p', {class: 'faint'}, 'No quotes.')]));
  }

  async search() {
    const text = $('q').value.trim();
    if (!text) return;
    const limit = 50, {campaign} = this.view();
    $('hits').replaceChildren(el('p', {class: 'faint'}, 'Searching…'));
    try {
      const {data, meta} = await this.api().get('intelligence/search', {q: text, campaign, limit});
      this.learn({'read:custom_extraction': true});
      const counted = data.length === limit ? `The ${limit} newest hits` : `${format(data.length)} hit${data.length === 1 ? '' : 's'}`;
      $('hits').replaceChildren(el('p', {class: 'note'}, `${counted} for “${meta.query}”${campaign ? ' in this campaign' : ''}, as of ${minute(meta.measurement_as_of || new Date().toISOString())}.`),
        el('ul', {class: 'hits'}, data.map((hit) => el('li', {},
          el('p', {class: 'note'}, this.opens(hit.id, day(hit.created_at)), ` · ${hit.conversation_goal || 'Uncategorized'}`),
          hit.matched_fields.map((field) => el('p', {}, el('span', {class: 'chip'}, field.replaceAll('_', ' ')), ' ', marked(hit[field], meta.query)))))));
    } catch (error) {
      if (error.scope) this.learn({[error.scope]: false});
      else $('hits').replaceChildren(el('p', {class: 'message bad'}, error.message));
    }
  }

  async detail(id, signal) {
    const {data: {interview: one}, meta} = await this.api().get('interviews/' + encodeURIComponent(id), {}, signal, true).catch((error) => {
      if ($('interview').open) $('interview').close();
      else if (error.status === 404) this.go({interview: ''}, true);
      throw error;
    });
    this.learnFrom(meta, true);
    const fact = (name, value) => (value == null ? null : el('div', {}, el('dt', {}, name), el('dd', {}, value)));
    const gated = (title, field, scope, show) => el('section', {}, el('h3', {}, title),
      !(field in one) ? el('p', {class: 'hidden-part'}, 'Hidden: this key lacks the scope ', el('code', {}, scope), '.') :
        one[field] === null ? el('p', {class: 'faint'}, 'There is none.') : show(one[field]));
    $('interview').replaceChildren(
      el('header', {}, el('h2', {id: 'interview-title'}, one.participant_name || 'No name'),
        el('form', {method: 'dialog'}, el('button', {autofocus: true}, 'Close'))),
      one.best_quote && el('blockquote', {}, one.best_quote),
      el('dl', {class: 'facts'}, fact('Score', one.nps_score === null ? '–' : score(one)), fact('Held', minute(one.created_at)), fact('Campaign', this.campaign(one.conversation_goal_id)),
        fact('Sentiment', one.customer_sentiment), fact('Churn risk', one.churn_risk), fact('Length', length(one.duration_seconds)),
        fact('Type', one.interview_type), fact('Status', one.status), fact('E-mail', one.participant_email), fact('Id', el('code', {}, one.id))),
      gated('Transcript', 'transcript', 'read:transcripts', transcript),
      gated('Extracted answers', 'custom_extraction', 'read:custom_extraction', answers),
      gated('Everything extracted', 'raw_extraction', 'read:raw_extraction', json),
      'participant_email' in one ? '' : el('p', {class: 'hidden-part'}, 'E-mail address hidden: this key lacks the scope ', el('code', {}, 'read:customer_identity'), '.'));
    if (!$('interview').open) $('interview').showModal();
  }
}

const json = (value) => el('pre', {tabindex: 0}, JSON.stringify(value, null, 2));

// A turn is any object; those with a speaker and a text are shown as a conversation.
const transcript = (turns) => el('ol', {class: 'turns'}, turns.map((turn) => {
  const speaker = turn.role ?? turn.speaker;
  if (typeof speaker !== 'string' || typeof turn.text !== 'string') return el('li', {}, json(turn));
  return el('li', {class: speaker === 'interviewer' ? 'interviewer' : false}, el('b', {}, speaker), ' ', turn.text);
}));

const answers = (extraction) => el('dl', {class: 'answers'}, Object.entries(extraction).map(([name, value]) => el('div', {}, el('dt', {}, name.replaceAll('_', ' ')),
  el('dd', {}, typeof value === 'string' ? value : Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('; ') : json(value)))));

/** The text with each place of the words marked, case folded as the API folds it. */
function marked(text, words) {
  const parts = text.split(new RegExp('(' + words.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&') + ')', 'iu'));
  return parts.map((part, i) => (i % 2 ? el('mark', {}, part) : part));
}
