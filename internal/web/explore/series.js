// Series of the charts, counted from the rows of one analytics response.

const day = 24 * 3600 * 1000;
const iso = (ms) => new Date(ms).toISOString().slice(0, 10);

export const moods = ['promoter', 'passive', 'detractor', 'unknown'];

/** The date so many days after another. */
export const plusDays = (date, days) => iso(Date.parse(date) + days * day);

/** The Monday of a date's week. */
const mondays = new Map();
export function monday(date) {
  if (!mondays.has(date)) {
    const at = Date.parse(date);
    mondays.set(date, iso(at - (new Date(at).getUTCDay() + 6) % 7 * day));
  }
  return mondays.get(date);
}

const none = () => ({promoter: 0, passive: 0, detractor: 0, unknown: 0, total: 0});
const add = (count, row) => { count[row.sentiment]++; count.total++; };

/** How many gave a score. */
export const scored = (count) => count.promoter + count.passive + count.detractor;
/** The share of promoters less that of detractors, -100 to 100; null without a score. */
export const nps = (count) => (scored(count) ? Math.round((count.promoter - count.detractor) / scored(count) * 1000) / 10 : null);
/** A part of those that gave a score, in per cent. */
export const share = (count, mood) => (scored(count) ? Math.round(count[mood] / scored(count) * 1000) / 10 : null);

/** Counts in all, by day, week and campaign. days are the labels of the API's volume. */
export function series(days, rows) {
  const all = none();
  const byDay = new Map(days.map((date) => [date, none()]));
  const byWeek = new Map(days.map((date) => [monday(date), none()]));
  for (const row of rows) {
    add(all, row);
    add(byDay.get(row.date), row);
    add(byWeek.get(monday(row.date)), row);
  }
  return {all, byDay, byWeek};
}

/** Counts by campaign: {slug, label, …}, in the API's order, the largest first. */
export function byCampaign(rows) {
  const found = new Map();
  for (const row of rows) {
    if (!found.has(row.campaignSlug)) found.set(row.campaignSlug, {slug: row.campaignSlug, label: row.campaignLabel, ...none()});
    add(found.get(row.campaignSlug), row);
  }
  return [...found.values()].sort((a, b) => b.total - a.total || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
}
