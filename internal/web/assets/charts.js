// Charts with a table, PNG and CSV each, drawn by Chart.js (chart.umd.min.js, a script of
// its own before this module).
import {csv, el, save, table} from './base.js';

const {Chart} = globalThis;

/** A colour of the stylesheet as the theme has it now, such as colour('--accent'). */
export function colour(name) {
  const probe = el('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const {color} = getComputedStyle(probe);
  probe.remove();
  return color;
}

function applyTheme() {
  Object.assign(Chart.defaults, {color: colour('--faint'), borderColor: colour('--line'), animation: false, maintainAspectRatio: false});
  Object.assign(Chart.defaults.font, {family: getComputedStyle(document.body).fontFamily, size: 12});
  Object.assign(Chart.defaults.plugins.tooltip, {
    backgroundColor: colour('--ink'), titleColor: colour('--paper'), bodyColor: colour('--paper'), footerColor: colour('--paper'),
    padding: 10, cornerRadius: 6, boxPadding: 4, footerFont: {weight: 'normal'},
  });
  Object.assign(Chart.defaults.plugins.legend, {position: 'bottom', align: 'start'});
  Object.assign(Chart.defaults.plugins.legend.labels, {boxWidth: 10, boxHeight: 10, borderRadius: 2, useBorderRadius: true, padding: 14});
}

/**
 * A chart in a card: title, what it is made of, picture, and buttons for table, PNG and
 * CSV. draw() shows data and may be called again.
 */
export class ChartCard {
  constructor(section, title) {
    this.title = title;
    this.note = el('p', {class: 'note'});
    this.canvas = el('canvas', {role: 'img'});
    this.plot = el('div', {class: 'plot'}, this.canvas);
    this.rows = el('div', {class: 'rows', hidden: true, tabindex: 0, role: 'region', 'aria-label': title + ', table'});
    const button = (text, click) => el('button', {type: 'button', class: 'small', 'aria-label': `${title}: ${text}`, click}, text);
    this.asTable = button('Table', () => this.showTable(this.rows.hidden));
    this.asTable.setAttribute('aria-pressed', 'false');
    section.classList.add('card', 'chart');
    section.append(
      el('header', {}, el('h2', {}, title), el('div', {class: 'buttons'}, this.asTable,
        button('PNG', () => this.png()), button('CSV', () => this.csv()))),
      this.note, this.plot, this.rows);
    document.addEventListener('themechange', () => { if (this.shown) this.draw(this.shown); });
  }

  /**
   * shown is {config, head, rows, note, summary, source, file}: config() returns
   * Chart.js' configuration in the theme's colours, head and rows the table and CSV,
   * note a line below the title, summary the picture in words, source what the numbers
   * stand on (it is written below the PNG), file the name of saved files.
   */
  draw(shown) {
    this.shown = shown;
    applyTheme();
    this.chart?.destroy();
    this.chart = new Chart(this.canvas, shown.config());
    this.canvas.setAttribute('aria-label', `${this.title}. ${shown.summary} The button Table shows the numbers.`);
    this.note.textContent = shown.note;
    this.rows.replaceChildren(table(this.title, shown.head, shown.rows));
  }

  showTable(show) {
    this.rows.hidden = !show;
    this.plot.hidden = show;
    this.asTable.setAttribute('aria-pressed', String(show));
  }

  csv() {
    save(this.shown.file + '.csv', csv([this.shown.head, ...this.shown.rows]));
  }

  // The picture alone has neither title nor background.
  png() {
    const wasTable = this.plot.hidden;
    if (wasTable) this.showTable(false);
    this.chart.resize();
    const scale = this.canvas.width / this.canvas.clientWidth;
    const file = el('canvas', {width: this.canvas.width + 40 * scale, height: this.canvas.height + 100 * scale});
    const pen = file.getContext('2d');
    const {family} = Chart.defaults.font;
    pen.fillStyle = colour('--paper');
    pen.fillRect(0, 0, file.width, file.height);
    pen.scale(scale, scale);
    const line = (text, y, font, name) => {
      pen.font = `${font} ${family}`;
      pen.fillStyle = colour(name);
      pen.fillText(text, 20, y, this.canvas.clientWidth);
    };
    line(this.title, 32, '600 16px', '--ink');
    line(this.shown.note, 52, '12px', '--faint');
    line(this.shown.source, this.canvas.clientHeight + 88, '11px', '--faint');
    pen.drawImage(this.canvas, 20, 64, this.canvas.clientWidth, this.canvas.clientHeight);
    file.toBlob((blob) => save(this.shown.file + '.png', blob));
    if (wasTable) this.showTable(true);
  }
}
